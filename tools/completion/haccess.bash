# bash completion for haccess(1) and haccess-log(1)

_haccess_runs() {
    local state=${HACCESS_STATE_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/haccess} run
    for run in "$state"/runs/*/; do
        run=${run%/}
        [ -e "$run/journal.jsonl" ] && printf '%s\n' "${run##*/}"
    done
}

# Completes the command behind "--" (or the first word that is no option) as if it stood alone.
_haccess_command() {
    local i
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --) ((i++)) && break ;;
        -e | --exe | -r | --run-id) ((i++)) ;;
        -*) ;;
        *) break ;;
        esac
    done
    ((i <= COMP_CWORD)) && [[ ${COMP_WORDS[i]} != -* ]] || return 1
    if declare -F _command_offset >/dev/null; then
        _command_offset "$i"
    elif ((i == COMP_CWORD)); then
        mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
    fi
}

_haccess() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "run explain policy doctor shims --help --version" -- "$cur")
        return
    fi
    case $prev in
    -e | --exe)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    -s | --start)
        mapfile -t COMPREPLY < <(compgen -W "codex claude cursor-agent opencode gemini" -- "$cur")
        return
        ;;
    -r | --run-id)
        mapfile -t COMPREPLY < <(compgen -W "$(_haccess_runs)" -- "$cur")
        return
        ;;
    esac
    case ${COMP_WORDS[1]} in
    run)
        _haccess_command && return
        words="--run-id --help --version --"
        ;;
    explain)
        _haccess_command && return
        words="--json --exe --help --version --"
        ;;
    policy)
        if [[ $cur != -* ]]; then
            if [[ " ${COMP_WORDS[*]:2:COMP_CWORD-2} " =~ \ (check|show|init|allow|deny)\  ]]; then
                mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                return
            fi
            words="check show init allow deny"
        else
            words="--json --help --version"
        fi
        ;;
    doctor) words="--json --help --version" ;;
    shims)
        if [[ $cur != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
            return
        fi
        words="--start --help --version"
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

_haccess_log() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words
    local filters="--since --until --adapter --model --reason --mode --refused --unsandboxed --cwd --format --older-than --dry-run --json --utc --help --version"
    case $prev in
    --adapter) words="codex claude-code cursor opencode gemini" ;;
    --mode) words="sandboxed full-access" ;;
    --format) words="jsonl csv html" ;;
    --reason) words="config_invalid disabled policy_not_allowed adapter_unrepresentable policy_read_only not_asked grammar_unknown model_not_listed model_unset effort_unset effort_below_floor vendor_would_refuse parent_sandboxed parent_unknown qualified argv_unbounding bad_request malformed_request full_access_conflicts_with_policy filesystem_policies_conflict full_access_unrepresentable no_projection server_unbounded settings_unreadable claude_write_lane_requires_full_access write_lane_unenforceable sandbox_unavailable journal_unavailable" ;;
    --model) return ;;
    --since | --until) words="1h 24h 7d 30d today yesterday" ;;
    --older-than) words="7d 30d 90d" ;;
    --cwd)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    *)
        if [[ $cur == -* ]]; then
            words=$filters
        elif ((COMP_CWORD == 1)); then
            words="runs show tree why follow stats proof prune verify reconcile export"
        else
            case " ${COMP_WORDS[*]} " in
            *" prune "* | *" stats "* | *" export "* | *" follow "* | *" runs "*) return ;;
            esac
            words="@1 $(_haccess_runs)"
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _haccess haccess
complete -F _haccess_log haccess-log
