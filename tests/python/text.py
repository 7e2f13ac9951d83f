plain = "a" 'b' """c
d"""
escapes = "tab\t quote\" \u00e9 \x41 \d", r"raw\n", b"bytes"
template = f"now {clock.now():%H:%M} {{literal}} {name!r:>{width}} {total=}"
joined = "one " f"{two} " "three"
nothing = f"only text"
percent = "%s of %d, %5.1f%%" % (name, total, share)
percent_named = "%(who)s says %(what)s" % {"who": user, "what": text}
percent_one = "now: %s" % now
percent_name = pattern % now
formatted = "{} and {x}".format(a, x=b)
wide = "日本語", marked  # after wide text
