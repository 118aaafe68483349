#!/bin/sh
# Makes a Debian package of what is built: BUILD/haccess_VERSION_ARCHITECTURE.deb. The same sources give the same file.
#   deb.sh BUILD VERSION
set -eu
umask 022
build=$(cd "$1" && pwd) version=$2
cd "$(dirname "$0")/.."
maintainer='haccess maintainers <maintainers@haccess.invalid>'
architecture=$(dpkg --print-architecture)
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Makefile)
fi
export SOURCE_DATE_EPOCH
work=$(mktemp -d "$build/deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root doc=$work/root/usr/share/doc/haccess
install -d "$root/DEBIAN" "$doc" "$work/debian"

make --no-print-directory -s install DESTDIR="$root" PREFIX=/usr ZSHDIR=/usr/share/zsh/vendor-completions B="$build" >/dev/null
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root"/usr/bin/* "$root"/usr/lib/*
chmod 644 "$root"/usr/lib/libhaccess.so
gzip -9n "$root"/usr/share/man/man*/*

{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: haccess\n\n'
    printf 'Files: *\nCopyright: %s\nLicense: ISC\n' "$(sed -n 's/^Copyright (c) //p' LICENSE)"
    sed '1,/^Copyright/d; /./!s/^/./; s/^/ /' LICENSE | sed '1{/^ \.$/d}'
} >"$doc/copyright"
{
    printf 'haccess (%s) unstable; urgency=medium\n\n  * This version; its changes are in the history of the sources.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$doc/changelog.gz"
install -m 644 README.md "$doc/README.md"

# The library stands beside its helper, and for itself in any libc: it names no library that it needs.
install -d "$root/usr/share/lintian/overrides"
cat >"$root/usr/share/lintian/overrides/haccess" <<'EOF'
# A preload library, loaded into programs of every libc: it binds to none, and nothing links with it.
haccess: library-not-linked-against-libc [usr/lib/libhaccess.so]
haccess: shared-library-lacks-prerequisites [usr/lib/libhaccess.so]
EOF

printf 'Source: haccess\nMaintainer: %s\n\nPackage: haccess\nArchitecture: any\nDescription: x\n' "$maintainer" >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "$root"/usr/bin/haccess "$root"/usr/bin/haccess-log \
    "$root"/usr/lib/haccess-exec 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "deb.sh: dpkg-shlibdeps names no dependencies" >&2; exit 1; }
cat >"$root/DEBIAN/control" <<EOF
Package: haccess
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends
Recommends: bubblewrap, socat
Section: admin
Priority: optional
Description: full access for the agent workers that deserve it, a sandbox for the rest
 A preload library that sees every launch of a known agent CLI (codex, claude,
 cursor-agent, opencode, gemini). A worker runs without its vendor's sandbox
 only where the host consents, the launching session's own records show that
 it holds full access, and the worker names a listed model and effort. All
 others keep or get a sandbox, contradictory launches are refused, and each
 decision goes to a journal that haccess-log reads.
EOF
echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

package=$build/haccess_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
echo "$package"
