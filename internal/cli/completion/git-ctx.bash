# bash completion for git ctx. Load it after git's own completion, for example:
#   source <(git ctx completion bash)

# Sets words and cword to the command line up to the cursor, with what readline
# broke at = : @ joined again.
__git_ctx_words() {
	local i word line="${COMP_LINE:0:COMP_POINT}"
	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word="${COMP_WORDS[i]}"
		if ((i == 0)) || [[ $line == [[:space:]]* ]]; then
			line="${line#"${line%%[![:space:]]*}"}"
			((i == COMP_CWORD)) && word="$line"
			words[${#words[@]}]="$word"
		else
			((i == COMP_CWORD)) && word="$line"
			words[${#words[@]} - 1]+="$word"
		fi
		line="${line#"$word"}"
	done
	cword=$((${#words[@]} - 1))
}

# Completes the words after the first $1; the other arguments run git ctx.
__git_ctx_complete() {
	local first=$1 cur out line word directive=0 IFS=$'\n' describe= broken
	shift
	local words cword
	__git_ctx_words
	cur="${words[cword]}"
	COMPREPLY=()
	type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null
	out=$("$@" __complete "${words[@]:first}" 2>/dev/null) || return 0
	case $out in
	*:[0-9]*) directive="${out##*:}" out="${out%:*}" ;;
	*) return 0 ;;
	esac
	if ((directive & 4)) && type compopt >/dev/null 2>&1; then
		compopt +o default +o bashdefault 2>/dev/null
	fi
	((directive & 1)) && return 0
	if ((directive & 16)); then
		COMPREPLY=($(compgen -d -S / -- "$cur"))
		return 0
	fi
	# What bash replaces is only the part after the last break.
	broken="${cur%"${cur##*[=:@]}"}"
	[[ $COMP_WORDBREAKS == *[=:@]* ]] || broken=
	[[ $cur == --*=* ]] && cur="${cur#*=}" && broken="${broken#*=}"
	case $COMP_TYPE in 33 | 63 | 64) describe=1 ;; esac
	set -f
	for line in $out; do
		word="${line%%$'\t'*}"
		[[ $word == "$cur"* ]] || continue
		word="${word#"$broken"}"
		if [[ $describe && $line == *$'\t'* ]]; then
			COMPREPLY[${#COMPREPLY[@]}]="$word  (${line#*$'\t'})"
		elif ((directive & 2)); then
			COMPREPLY[${#COMPREPLY[@]}]="$word"
		else
			COMPREPLY[${#COMPREPLY[@]}]="$word "
		fi
	done
	set +f
	if [[ $describe ]] && ((${#COMPREPLY[@]} == 1)); then
		COMPREPLY[0]="${COMPREPLY[0]%%  (*}"
		((directive & 2)) || COMPREPLY[0]+=" "
	fi
	return 0
}

# Git's completion calls this for `git ctx`.
_git_ctx() {
	__git_ctx_complete $((${__git_cmd_idx:-1} + 1)) git ${__git_C_args:+"${__git_C_args[@]}"} ${__git_dir:+--git-dir="$__git_dir"} ctx
}

__git_ctx_alone() {
	__git_ctx_complete 1 "${COMP_WORDS[0]}"
}

complete -o bashdefault -o default -o nospace -F __git_ctx_alone git-ctx
