# Completes commands, experiments and options of gpulab in bash, by what the installed gpulab prints itself. Installed as
# share/bash-completion/completions/gpulab; to try it:  source deploy/completions/gpulab.bash
_gpulab_words() { # COMMAND POSITION WORD: what can stand there
    local list='s/^  \([a-z][a-z]*\) .*/\1/p'
    if [ "$2" = 1 ] || [ "$1" = help ]; then
        echo help
        gpulab help | sed -n "$list"
    elif [[ $3 == -* ]]; then
        gpulab help "$1" | sed -n 's/^  \(--[a-z-]*\).*/\1/p'
    elif [ "$2" = 2 ]; then
        case $1 in run | sweep | experiments) gpulab experiments | sed -n '2,$s/^\([a-z][a-z0-9-]*\) .*/\1/p' ;; esac
    fi
} 2>/dev/null

_gpulab() { # without words, bash offers files
    local word=${COMP_WORDS[COMP_CWORD]}
    mapfile -t COMPREPLY < <(compgen -W "$(_gpulab_words "${COMP_WORDS[1]}" "$COMP_CWORD" "$word")" -- "$word")
}
complete -o default -F _gpulab gpulab
