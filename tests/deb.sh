#!/bin/sh
# The Debian package: what lintian says; as root also that it installs, decides a launch by the library's name, and goes whole.
#   deb.sh BUILD
set -eu
build=$(cd "$1" && pwd)
sources=$(cd "$(dirname "$0")/.." && pwd)
package=$(ls "$build"/haccess_*.deb)
fail() { echo "check-deb: $*" >&2; exit 1; }

lintian --fail-on error --allow-root "$package" || fail "lintian finds errors"

if [ "$(id -u)" != 0 ]; then
    echo "check-deb: not root: the package was not installed"
    exit
fi
for file in $(dpkg-deb -c "$package" | sed -n 's/^-.* \.\//\//p'); do
    [ ! -e "$file" ] || fail "$file is there already"
done
work=$(mktemp -d)
trap 'dpkg --purge haccess >/dev/null 2>&1; rm -rf "$work"' EXIT
dpkg -i "$package" >"$work/log" 2>&1 || { cat "$work/log"; fail "it does not install"; }
dpkg --verify haccess || fail "the files are not those of the package"

mkdir "$work/home" "$work/bin" "$work/project"
cp "$sources/fixtures/standin-codex" "$work/bin/codex"
run() {
    (cd "$work/project" && env -i HOME="$work/home" PATH="$work/bin:/usr/bin:/bin" LANG=C.UTF-8 "$@" </dev/null)
}
run LD_PRELOAD=libhaccess.so codex exec --yolo hi >"$work/out" 2>&1 || { cat "$work/out"; fail "a launch fails"; }
grep -q 'runs workspace-write' "$work/out" || { cat "$work/out"; fail "a launch is not narrowed"; }
[ "$(run haccess-log show --json | grep -c '"agent.start"')" = 1 ] || fail "the launch is not in the journal"
run haccess-log verify >"$work/out" || { cat "$work/out"; fail "the journal does not verify"; }
run haccess doctor >"$work/out" || { cat "$work/out"; fail "doctor finds a problem"; }
if command -v man >/dev/null; then
    for page in 1/haccess 1/haccess-log 5/haccess-policy 5/haccess-journal 7/libhaccess; do
        man -w "${page%/*}" "${page#*/}" >/dev/null || fail "there is no manual page $page"
    done
fi

dpkg --purge haccess >"$work/log" 2>&1 || { cat "$work/log"; fail "it cannot be removed"; }
for file in $(dpkg-deb -c "$package" | sed -n 's/^-.* \.\//\//p'); do
    [ ! -e "$file" ] || fail "$file is left"
done
ldconfig -p | grep -q libhaccess && fail "ld.so still knows the library"
run codex exec -s read-only hi >/dev/null 2>&1 || fail "a launch without it fails"
echo "check-deb: $(basename "$package") installs, works and goes"
