#!/usr/bin/env node
// Starts the program for this system. It comes with the one optional dependency that fits, so that
// nothing is downloaded or run at installation.
"use strict";

const { spawnSync } = require("node:child_process");
const platforms = require("../platforms.json");

const usesGlibc = () => Boolean(process.report?.getReport().header.glibcVersionRuntime);

/** The packages that may hold a program for this system; the static one runs with every libc. */
function candidates() {
  const fitting = Object.values(platforms).filter(
    (platform) => platform.os === process.platform && platform.cpu === process.arch,
  );
  if (process.platform !== "linux") return fitting;
  const glibc = usesGlibc();
  return fitting
    .filter((platform) => glibc || platform.libc === "musl")
    .sort((a, b) => a.libc.localeCompare(b.libc));
}

function program() {
  const file = process.platform === "win32" ? "ctxlint.exe" : "ctxlint";
  for (const platform of candidates()) {
    try {
      return require.resolve(`${platform.package}/bin/${file}`);
    } catch {
      // Not installed: the next one, or the message below.
    }
  }
  return undefined;
}

const found = program();
if (found === undefined) {
  const names = candidates().map((platform) => platform.package);
  console.error(
    names.length === 0
      ? `ctxlint: there is no package for ${process.platform} on ${process.arch}; build it with \`cargo install ctxlint\``
      : `ctxlint: the program is missing: install ${names.join(" or ")} (optional dependencies must not be left out)`,
  );
  process.exit(2);
}

// Ctrl-C goes to both; the program ends as it likes and this script after it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const done = spawnSync(found, process.argv.slice(2), { stdio: "inherit" });
if (done.error) {
  console.error(`ctxlint: ${found}: ${done.error.message}`);
  process.exit(2);
}
if (done.signal) {
  process.removeAllListeners(done.signal);
  process.kill(process.pid, done.signal);
}
process.exitCode = done.status ?? 2;
