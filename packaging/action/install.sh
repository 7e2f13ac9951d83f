#!/usr/bin/env bash
# Puts the ctxlint of a release on the path of a workflow, if its checksum is the one that was released.
# Reads CTXLINT_VERSION (empty: the version of this action), CTXLINT_REPOSITORY (empty: this one), and
# what GitHub sets in every step.
set -euo pipefail

fail() {
    printf '::error title=ctxlint::%s\n' "$*"
    exit 2
}

# Built with the GNU C library where that is new enough, which is faster; else the static program.
linux() {
    local oldest=2.35 glibc
    glibc="$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2)" || true
    if [[ -n "$glibc" && "$(printf '%s\n' "$oldest" "$glibc" | sort -V | head -n1)" == "$oldest" ]]; then
        echo unknown-linux-gnu
    else
        echo unknown-linux-musl
    fi
}

checksum() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

fetch() {
    curl --fail --silent --show-error --location --retry 3 --output "$2" "$1" ||
        fail "$1 cannot be fetched: is there a release $version? The input 'version' chooses another."
}

version="${CTXLINT_VERSION#v}"
if [[ -z "$version" ]]; then
    version="$(sed -n 's/^version = "\(.*\)"$/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml" | head -n1)"
fi
[[ "$version" =~ ^[0-9A-Za-z.+-]+$ ]] || fail "The input 'version' is no version: write it as in 0.1.0."

case "$RUNNER_OS/$RUNNER_ARCH" in
    Linux/X64) target="x86_64-$(linux)" ;;
    Linux/ARM64) target="aarch64-$(linux)" ;;
    macOS/X64) target=x86_64-apple-darwin ;;
    macOS/ARM64) target=aarch64-apple-darwin ;;
    Windows/X64) target=x86_64-pc-windows-msvc ;;
    *) fail "There is no program for $RUNNER_OS on $RUNNER_ARCH; build it with \`cargo install ctxlint\`." ;;
esac
archive="ctxlint-$version-$target.tar.gz"
[[ "$RUNNER_OS" != Windows ]] || archive="ctxlint-$version-$target.zip"

release="$GITHUB_SERVER_URL/${CTXLINT_REPOSITORY:-$GITHUB_REPOSITORY}/releases/download/v$version"
folder="$RUNNER_TEMP/ctxlint-$version"
mkdir -p "$folder"
cd "$folder"
fetch "$release/SHA256SUMS" SHA256SUMS
fetch "$release/$archive" "$archive"
expected="$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' SHA256SUMS)"
[[ -n "$expected" ]] || fail "SHA256SUMS of release $version does not name $archive."
[[ "$(checksum "$archive")" == "$expected" ]] || fail "$archive is not what was released: its checksum differs."

case "$archive" in
    *.zip) unzip -q -o "$archive" ;;
    *) tar -xzf "$archive" ;;
esac
echo "$folder/ctxlint-$version-$target" >>"$GITHUB_PATH"
"./ctxlint-$version-$target/ctxlint" --version
