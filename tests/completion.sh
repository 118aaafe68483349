#!/bin/sh
# What --help names is in the manual page and in both completions, and what the completions offer is taken.
#   completion.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HACCESS_STATE_DIR="$work/state" LC_ALL=C.UTF-8
failed=0 checks=0
wrong() {
    echo "completion.sh: $*" >&2
    failed=1
}

# Lines of "COMMAND WORD": each subcommand and each option, as --help names them.
options() { grep -oE -- '(^|[ ,;])--[a-z][a-z-]*' | tr -d ' ,;'; }
{
    "$build/haccess" --help | sed -n 's/^  \([a-z][a-z]*\) .*/haccess \1/p'
    "$build/haccess" --help | options | sed 's/^/haccess /'
    for c in $("$build/haccess" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
        { "$build/haccess" "$c" --help | options; echo --help; echo --version; } | sed "s/^/haccess $c /"
    done
    for c in check show init allow deny; do echo "haccess policy $c"; done
    "$build/haccess-log" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/haccess-log \1/p'
    "$build/haccess-log" --help | options | sed 's/^/haccess-log show /'
} | sort -u >"$work/words"
[ "$(wc -l <"$work/words")" -gt 40 ] || wrong "too few words: $(cat "$work/words")"

# A screen of help.
for c in haccess haccess-log 'haccess run' 'haccess explain' 'haccess policy' 'haccess doctor' 'haccess shims'; do
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    "$build/"$c --help | awk -v c="$c" 'length($0) > 80 || NR > 23 { print c ": " NR ": " $0; bad = 1 } END { exit bad }' ||
        wrong "$c --help does not fit 80 columns and 24 lines"
done

# The manual pages.
while read -r line; do
    checks=$((checks + 1))
    word=${line##* } page=tools/man/${line%% *}.1
    case $word in
    --*) grep -qE "Fl -${word#--}( |\$)" "$page" || wrong "$page does not have $word" ;;
    *) grep -qE "^\\.(It )?Cm .*\\b$word\\b" "$page" || wrong "$page does not have the command $word" ;;
    esac
done <"$work/words"

# bash: the word itself is among what its first letters give.
cat >"$work/bash" <<'EOF'
source tools/completion/haccess.bash
while read -r line; do
    read -ra COMP_WORDS <<<"$line"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) want=${COMP_WORDS[-1]}
    COMP_WORDS[COMP_CWORD]=${want:0:${#want}-1}
    if [[ ${COMP_WORDS[0]} == haccess ]]; then _haccess; else _haccess_log; fi
    [[ " ${COMPREPLY[*]} " == *" $want "* ]] || echo "bash: $line: offers ${COMPREPLY[*]}"
done
EOF
bash "$work/bash" <"$work/words" >"$work/said" || wrong "bash: the completion fails"
checks=$((checks + $(wc -l <"$work/words")))

# zsh: the word without its last letter, completed in a terminal.
if command -v zsh >/dev/null; then
    cat >"$work/zsh" <<'EOF'
zmodload zsh/zpty
zpty -b shell zsh -f -i
send() { zpty -w shell "$1"; zpty -r shell line '*ready*' || exit 1 }
send "PS1=; unsetopt zle_bracketed_paste beep; fpath=($PWD/tools/completion \$fpath); autoload -U compinit; compinit -u -D; \
tell() { print -r -- \"\$BUFFER\" >>$WORK/typed; BUFFER=; print rea''dy }; zle -N tell; bindkey '^O' tell; LISTMAX=0; print rea''dy"
while read -r line; do
    zpty -w -n shell "${line%?}"$'\t\x0f'
    zpty -r shell answer '*ready*' || exit 1
done
zpty -d shell
EOF
    # A word that is another one with a letter more (--mode, --model) has nothing to be completed from.
    while read -r line; do
        grep -qxF -- "${line%?}" "$work/words" || echo "$line"
    done <"$work/words" >"$work/few"
    WORK=$work timeout 100 zsh -f "$work/zsh" <"$work/few" >/dev/null || wrong "zsh: the completion fails"
    checks=$((checks + $(wc -l <"$work/few")))
    sed 's/[ =]*$//' "$work/typed" | diff "$work/few" - | sed -n 's/^</zsh does not complete:/p' >>"$work/said"
else
    echo "completion.sh: zsh is not here: its completion was not tried"
fi
if [ -s "$work/said" ]; then
    cat "$work/said"
    failed=1
fi

# The manual pages, by their own checker.
if command -v mandoc >/dev/null; then
    mandoc -Tlint -W warning tools/man/* || wrong "mandoc finds faults"
fi
echo "completion.sh: $checks checks, $([ "$failed" = 0 ] && echo all good || echo failed)"
exit "$failed"
