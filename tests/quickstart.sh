#!/bin/sh
# Shows the main job on a stand-in codex, in a temporary home and project. Needs no network and leaves nothing behind.
# Exits 1 when something did not go as it should; that a machine cannot show a grant is told, and is no failure.
#   quickstart.sh BUILD_DIR
set -eu
build=$(cd "$1" && pwd)
fixtures=$(cd "$(dirname "$0")/../fixtures" && pwd)
top=$(mktemp -d "${TMPDIR:-/tmp}/haccess-quickstart-XXXXXX")
trap 'rm -rf "$top"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
trap 'exit 141' PIPE

# A host of its own: nothing of this one's policies, journals or sessions. The spool in /tmp is read all the same, so
# what is listed is asked for by directory and run.
for name in CODEX_HOME CODEX_THREAD_ID CLAUDE_CODE_SESSION_ID CURSOR_SESSION_ID CURSOR_CONVERSATION_ID CURSOR_AGENT \
    OPENCODE_SESSION_ID OPENCODE_PID OPENCODE HACCESS_STATE_DIR HACCESS_ACCESS HACCESS_LANE HACCESS_WORKER_FULL_ACCESS \
    HACCESS_LAUNCH HACCESS_PASSED HACCESS_RUN_ID XDG_STATE_HOME XDG_DATA_HOME XDG_CONFIG_HOME LD_PRELOAD; do
    unset "$name"
done
HOME=$top/home
PATH=$top/bin:$build:$PATH
HACCESS_PAGER=cat PAGER=cat
export HOME PATH HACCESS_PAGER PAGER
umask 022
mkdir -p "$HOME/shop" "$top/bin"
cp "$fixtures/standin-codex" "$top/bin/codex"
cd "$HOME/shop"

if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then bold=$(printf '\033[1m') off=$(printf '\033[0m'); else bold='' off=''; fi
say() { printf '\n%s# %s%s\n' "$bold" "$*" "$off"; }
failed=0
expect=0
run() { # prints the command, runs it, tells a status that is not 0
    printf '%s$ %s%s\n' "$bold" "$*" "$off"
    status=0
    eval "$*" || status=$?
    [ "$status" = 0 ] || echo "(exit $status)"
    [ "$status" = "$expect" ] || failed=1
}
launch='LD_PRELOAD='$build'/libhaccess.so'

say "One run for the launches to come. A script that is started with the library is one by itself."
run "export HACCESS_RUN_ID=quickstart"

say "1. A launch that asks for full access. There is no policy: it is narrowed."
run "$launch codex exec --yolo 'fix the build'"

say "2. A policy that lists one model, allowed by you as it is now ..."
run "haccess policy init"
run "cat >.haccess/policy.json <<'END'
{
  // the only codex that may run without its sandbox
  \"workflow\": { \"workerFullAccess\": { \"enabled\": true,
    \"floors\": { \"codex\": [ { \"model\": \"gpt-5.1-codex\", \"minEffort\": \"high\" } ] } } }
}
END"
run "haccess policy check"
run "haccess policy allow"

say "... and a launching session that holds full access itself, by its own record (a stand-in, of a moment ago)."
# A thread id is a UUIDv7: 48 bits of milliseconds, the rest random. The record lies under its day.
ms=$(($(date +%s) * 1000))
random=$(od -An -N10 -tx1 /dev/urandom | tr -d ' \n')
stamp=$(printf '%012x' "$ms")
thread=$(printf '%s-%s-7%.3s-8%.3s-%.12s' "$(printf '%s' "$stamp" | cut -c1-8)" "$(printf '%s' "$stamp" | cut -c9-12)" \
    "$random" "$(printf '%s' "$random" | cut -c4-6)" "$(printf '%s' "$random" | cut -c7-18)")
day=$HOME/.codex/sessions/$(date -u -d "@$((ms / 1000))" +%Y/%m/%d)
record=$day/rollout-$(date -u -d "@$((ms / 1000))" +%Y-%m-%dT%H-%M-%S)-$thread.jsonl
now=$(date -u -d "@$((ms / 1000))" +%Y-%m-%dT%H:%M:%S.000Z)
mkdir -p "$day"
printf '%s\n' >"$record" \
    '{"timestamp":"'"$now"'","ordinal":0,"type":"session_meta","payload":{"id":"'"$thread"'"}}' \
    '{"timestamp":"'"$now"'","ordinal":1,"type":"turn_context","payload":{"cwd":"'"$PWD"'","approval_policy":"never","permission_profile":{"type":"disabled"},"model":"gpt-5.1-codex","sandbox_policy":{"type":"danger-full-access"}}}'
run "tail -n 1 ~/.codex/sessions/*/*/*/rollout-*.jsonl"
run "export CODEX_THREAD_ID=$thread   # codex sets this for what its sessions run"
run "$launch codex exec -m gpt-5.1-codex -c model_reasoning_effort=high 'fix the build'"
reason=$(haccess explain --json -- codex exec -m gpt-5.1-codex -c model_reasoning_effort=high 'fix the build' |
    sed -n 's/.*"access":{"mode":"[^"]*","reason":"\([^"]*\)","detail":"\([^"]*\)".*/\1: \2/p')
case $reason in
qualified:*) ;;
*)
    echo "This machine cannot show a grant: $reason"
    if grep -q '^NoNewPrivs:[[:space:]]*1' /proc/self/status; then
        echo "no_new_privs is set for this shell (a container or a sandbox sets it), and then nothing below it can have full access."
    else
        echo "Try again from a terminal that is outside any agent session."
    fi
    ;;
esac

say "3. A launch that contradicts itself. The real codex would silently take the wider one; here it is refused."
expect=126
run "$launch codex exec --yolo -s read-only 'fix the build'"
expect=0

say "What was recorded, and why."
run "haccess-log --cwd ."
run "haccess-log show quickstart"
run "haccess-log why quickstart a2"

[ "$failed" = 0 ] || echo "haccess: quickstart: not everything went as it should" >&2
exit "$failed"
