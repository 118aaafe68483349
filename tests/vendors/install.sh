#!/bin/sh
# Installs the CLIs of package.json below DIRECTORY, unless they are there. Nothing is left outside it.
#   install.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
if [ -e installed ] && cmp -s installed "$here/package-lock.json"; then
    exit 0
fi
rm -f installed
cp "$here/package.json" "$here/package-lock.json" .
echo "haccess: installing the vendor CLIs into $1"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --cache "$PWD/npm-cache"
rm -rf npm-cache
# What its install script does: put the binary of this platform in place.
node node_modules/@anthropic-ai/claude-code/install.cjs
node_modules/.bin/codex --version
HOME=$PWD/home node_modules/.bin/claude --version
rm -rf home
cp "$here/package-lock.json" installed
