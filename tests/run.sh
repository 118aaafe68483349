#!/bin/sh
# Runs test programs two at a time, each under a clean environment, and prints their output in order. Exits 1 when one fails.
#   run.sh BUILD_DIR PROGRAM...
set -u
build=$1
shift
# Whatever session the tests run in, they must not see its markers, its preload or its policy switches. HOME is a
# directory that is not there: a test that needs one makes it. What chooses the trials of a differential test comes through.
clean() {
    env -i PATH="$PATH" LANG=C.UTF-8 HOME=/nonexistent HACCESS_BUILD="$(cd "$build" && pwd)" CK_DEFAULT_TIMEOUT=60 \
        ${TMPDIR:+TMPDIR="$TMPDIR"} ${HACCESS_SEED:+HACCESS_SEED="$HACCESS_SEED"} \
        ${HACCESS_TRIALS:+HACCESS_TRIALS="$HACCESS_TRIALS"} ${HACCESS_TRIAL:+HACCESS_TRIAL="$HACCESS_TRIAL"} "$@"
}
failed=0 first="" first_pid=""
finish() { # program pid
    wait "$2" || failed=1
    cat "$build/tests/$(basename "$1").log"
}
for t in "$@"; do
    clean "$t" >"$build/tests/$(basename "$t").log" 2>&1 &
    if [ -n "$first" ]; then
        finish "$first" "$first_pid"
    fi
    first=$t first_pid=$!
done
[ -z "$first" ] || finish "$first" "$first_pid"
exit $failed
