#!/bin/sh
# make bench: what haccess costs. Ratios are of interleaved runs; instructions are counted by callgrind, where valgrind is
# installed.
#   bench.sh BUILD_DIR
set -eu
build=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/haccess-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT HUP INT TERM
mkdir -p "$work/home/.codex/sessions" "$work/bin" "$work/project/.haccess" "$work/tmp"

# A session of 100 MB, whose last turn began 40 KB before its end; the thread's id says when it was made.
day=2026/11/30 id=01a22e25-e69c-76f0-a028-51377d5d8eaa
mkdir -p "$work/home/.codex/sessions/$day"
rollout=$work/home/.codex/sessions/$day/rollout-2026-11-30T20-29-25-$id.jsonl
line='{"timestamp":"2026-11-30T20:29:25.681Z","type":"response_item","payload":{"type":"message","content":"'$(printf '%02000d' 0)'"}}'
turn='{"timestamp":"2026-11-30T20:29:25.681Z","type":"turn_context","payload":{"sandbox_policy":{"type":"danger-full-access"},"permission_profile":{"type":"disabled"}}}'
yes "$line" | head -c 104857600 >"$rollout"
{ echo; echo "$turn"; yes "$line" | head -n 20; } >>"$rollout"
echo '{"workflow":{"workerFullAccess":{"enabled":true,"floors":{"codex":[{"model":"m","minEffort":"high"}]}}}}' \
    >"$work/project/.haccess/policy.json"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/codex"
chmod 755 "$work/bin/codex"
cp "$build/tests/bench/spawn" "$work/spawn"

clean() {
    env -i HOME="$work/home" PATH="$work/bin:/usr/bin:/bin" TMPDIR="$work/tmp" HACCESS_STATE_DIR="$work/state" \
        HACCESS_RUN_ID=bench CODEX_THREAD_ID="$id" "$@"
}
cd "$work/project"
clean "$build/haccess" policy allow >/dev/null

echo "A program that is no vendor CLI (/bin/true), started with the library in it:"
printf '  '
clean "$work/spawn" 1000 "$build/libhaccess.so" /bin/true
echo "The same, started from a process that has the library too, so that its hook runs:"
printf '  '
clean LD_PRELOAD="$build/libhaccess.so" "$work/spawn" 1000 "$build/libhaccess.so" /bin/true
echo "A decided launch of a stand-in CLI (a shell script), full access granted, 100 MB session record, journal synced:"
printf '  '
clean "$work/spawn" 100 "$build/libhaccess.so" "$work/bin/codex" exec -m m -c model_reasoning_effort=high hi
echo "A decided launch that is not granted:"
printf '  '
clean "$work/spawn" 100 "$build/libhaccess.so" "$work/bin/codex" exec hi

# The helper is executed under a vendor's name, as the library does it.
mkdir "$work/as"
ln -s "$build/haccess-exec" "$work/as/codex"
set -- exec -m m -c model_reasoning_effort=high hi
echo "Memory of haccess-exec for the granted launch (limit 8192 KB):"
printf '#!/nonexistent\n' >"$work/bin/codex"
clean HACCESS_EXEC="0f:$work/bin/codex" "$build/tests/bench/peak" "$work/as/codex" "$@"
if command -v valgrind >/dev/null 2>&1; then
    echo "Instructions of haccess-exec for the granted launch, ld.so excluded (limit 3,000,000):"
    clean HACCESS_EXEC="0f:$work/bin/codex" valgrind --tool=callgrind --dump-before=execve \
        --callgrind-out-file="$work/callgrind" "$work/as/codex" "$@" >/dev/null 2>&1 || :
    # Self cost is on lines that begin with a position, but for the line behind "calls=".
    cat "$work"/callgrind* | awk '
        /^ob=/ { split($0, a, /[()]/); if (NF > 1) name[a[2]] = $2; object = name[a[2]]; next }
        /^cob=/ { split($0, a, /[()]/); if (NF > 1) name[a[2]] = $2; next }
        /^calls=/ { skip = 1; next }
        /^[+*0-9-]/ { if (skip) skip = 0; else if (object ~ /ld-linux/) loader += $2; else own += $2 }
        END { printf "  %d   (ld.so %d)\n", own, loader }'
else
    echo "Instructions: valgrind is not installed"
fi
