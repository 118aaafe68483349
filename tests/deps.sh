#!/bin/sh
# Installs the Debian packages that are missing. Arguments: module:NAME:PACKAGE (a pkg-config module),
# program:NAME:PACKAGE or python:NAME:PACKAGE (a module of Debian's python3).
set -eu
missing=
for need in "$@"; do
    kind=${need%%:*} rest=${need#*:}
    name=${rest%%:*} package=${rest#*:}
    case $kind in
    module) pkg-config --exists "$name" 2>/dev/null || missing="$missing $package" ;;
    python) /usr/bin/python3 -c "import $name" 2>/dev/null || missing="$missing $package" ;;
    program) command -v "$name" >/dev/null 2>&1 || missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0
command -v apt-get >/dev/null 2>&1 || {
    echo "haccess: missing packages:$missing: no apt-get here; install them by other means" >&2
    exit 1
}
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "haccess: installing missing packages:$missing"
$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
