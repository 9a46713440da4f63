# fish completion for git ctx: save it as git-ctx.fish in a folder of
# $fish_complete_path, or source it.

function __git_ctx_complete
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -e tokens[1]
    if test "$argv[1]" = git
        while set -q tokens[1]; and test "$tokens[1]" != ctx
            set -e tokens[1]
        end
        set -e tokens[1]
    end
    set -l prefix (string match -r -- '^--[^=]*=' $current)
    for line in (git ctx __complete $tokens $current 2>/dev/null)
        string match -qr '^:[0-9]+$' -- $line; and break
        test -n "$line"; and printf '%s%s\n' "$prefix" $line
    end
end

complete -c git -n 'contains -- ctx (commandline -opc)' -f -a '(__git_ctx_complete git)'
complete -c git-ctx -a '(__git_ctx_complete)'
