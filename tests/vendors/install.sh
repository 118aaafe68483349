#!/bin/sh
# Installs the CLIs of package.json below DIRECTORY, and the older ones of older/package.json below DIRECTORY/older, unless they
# are there. Nothing is left outside it.
#   install.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)

install() { # from to
    mkdir -p "$2"
    cd "$2"
    if [ -e installed ] && cmp -s installed "$1/package-lock.json"; then
        return
    fi
    rm -f installed
    cp "$1/package.json" "$1/package-lock.json" .
    echo "haccess: installing the vendor CLIs into $2"
    # Not `npm ci`, which wants the packages of all platforms in the lock file, where a registry may have but some.
    rm -rf node_modules
    npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error --cache "$PWD/npm-cache"
    rm -rf npm-cache
    # What their install scripts do: put the binary of this platform in place.
    node node_modules/@anthropic-ai/claude-code/install.cjs
    node node_modules/opencode-ai/postinstall.mjs
    clis='codex claude opencode'
    # gemini says that it needs node 20; Debian 12 has 18. Its tests look for the same.
    if node -e 'parseInt(process.versions.node) >= 20 || process.exit(1)'; then
        clis="$clis gemini"
    fi
    for cli in $clis; do
        HOME=$PWD/home XDG_DATA_HOME= XDG_CACHE_HOME= XDG_CONFIG_HOME= XDG_STATE_HOME= node_modules/.bin/$cli --version
    done
    rm -rf home
    cp "$1/package-lock.json" installed
}

directory=$(mkdir -p "$1" && cd "$1" && pwd)
install "$here" "$directory"
install "$here/older" "$directory/older"
