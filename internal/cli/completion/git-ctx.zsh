#compdef git-ctx
# zsh completion for git ctx: save it as _git-ctx in a folder of $fpath. Git's
# own completion calls it for `git ctx` too.

_git-ctx() {
	local out line word directive
	local -a lines found flags
	out=$(git ctx __complete "${(@)words[2,CURRENT]}" 2>/dev/null) || return 1
	lines=("${(@f)out}")
	directive=${lines[-1]#:}
	[[ $directive == <-> ]] || return 1
	for line in "${(@)lines[1,-2]}"; do
		[[ -n $line ]] || continue
		word=${${line%%$'\t'*}//:/\\:}
		if [[ $line == *$'\t'* ]]; then
			found+=("$word:${line#*$'\t'}")
		else
			found+=("$word")
		fi
	done
	(( directive & 1 )) && return 1
	(( directive & 2 )) && flags=(-S '')
	if (( directive & 16 )); then
		_files -/
		return
	fi
	[[ $PREFIX == --*=* ]] && compset -P '*='
	if (( ${#found} )); then
		_describe -V 'git ctx' found "${flags[@]}"
		return
	fi
	(( directive & 4 )) || _files
}

if [ "$funcstack[1]" = "_git-ctx" ]; then
	_git-ctx "$@"
elif (( $+functions[compdef] )); then
	compdef _git-ctx git-ctx
fi
