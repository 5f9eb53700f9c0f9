# Completes commands, experiments and options of gpulab in fish, by what the installed gpulab prints itself. Installed as
# share/fish/vendor_completions.d/gpulab.fish.
function __gpulab_command
    set -l words (commandline --tokenize --cut-at-cursor)
    test (count $words) -ge 2; and echo $words[2]
end
complete -c gpulab -n 'not __gpulab_command >/dev/null' -f \
    -a '(gpulab help 2>/dev/null | sed -n "s/^  \([a-z][a-z]*\)  *\(.*\)/\1\t\2/p")'
complete -c gpulab -n 'string match -q -r -- "^(run|sweep|experiments)\$" (__gpulab_command)' \
    -a '(gpulab experiments 2>/dev/null | sed -n "2,\$s/^\([a-z][a-z0-9-]*\)  *[a-z-]*  *\(.*\)/\1\t\2/p")'
complete -c gpulab -n '__gpulab_command >/dev/null' \
    -a '(string match -q -- "-*" (commandline --current-token); and gpulab help (__gpulab_command) 2>/dev/null | sed -n "s/^  \(--[a-z-]*\).*/\1/p")'
