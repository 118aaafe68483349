#!/bin/sh
# make bench-log: haccess-log on a journal of a million records, beside jq (and mlr, where it is installed) on the same file, in
# turn. Fails when it is not five times as fast, needs 32 MB, or says anything else.
#   bench-log.sh BUILD_DIR [RECORDS]
set -eu
build=$(cd "$1" && pwd)
records=${2:-1000000}
work=$(mktemp -d "${TMPDIR:-/tmp}/haccess-bench-log-XXXXXX")
trap 'rm -rf "$work"' EXIT HUP INT TERM
export HACCESS_STATE_DIR="$work/state" TMPDIR="$work" TZ=UTC LANG=C.UTF-8
"$build/tests/bench/journal" "$records" "$work/state"
journal=$(echo "$work"/state/runs/*/journal.jsonl)
log=$build/haccess-log
echo "A journal of $records records, $(($(wc -c <"$journal") / records)) bytes each; the launches that were granted, as JSON:"
"$build/tests/bench/race" 3 'haccess-log show --reason qualified' "exec $log show --reason qualified --json" "$work/ours" \
    "jq 'select(...)'" "exec jq -c 'select(.access.reason==\"qualified\")' $journal" "$work/jq" | tee "$work/show"
cmp "$work/ours" "$work/jq" || exit 1
if command -v mlr >/dev/null 2>&1; then
    echo "The same, once, beside mlr:"
    "$build/tests/bench/race" 1 'haccess-log show --reason qualified' "exec $log show --reason qualified --json" "$work/ours" \
        'mlr filter' "exec mlr --ojsonl --ijson --no-auto-flatten filter 'is_present(\$access) && \$access[\"reason\"]==\"qualified\"' $journal" "$work/mlr"
fi
echo "The rest, in one pass each:"
"$build/tests/bench/race" 3 'haccess-log stats' "exec $log stats --json" "$work/stats" \
    'haccess-log (the runs)' "exec $log --json" "$work/runs" \
    'haccess-log export jsonl' "exec $log export --format jsonl" "$work/export" \
    'haccess-log verify' "exec $log verify" "$work/verify" | tee "$work/rest"
# jq's ratio is the third column from the end of its line.
awk -v limit=32768 '
    /^  jq/ { if ($(NF - 3) < 5) { print "haccess-log show is not five times as fast as jq"; bad = 1 } }
    /^  haccess-log/ { if ($(NF - 1) > limit) { print $0 ": more than 32 MB"; bad = 1 } }
    END { exit bad }' "$work/show" "$work/rest"
