# Keeps the programs of labs on another machine, in $XDG_CACHE_HOME/gpulab/workers or ~/.cache/gpulab/workers: one folder
# for each VERSION-HASH. Started there as `sh -s ACTION CACHE FOLDER NAME [FILE SIZE SHA256]...`, with this text as its
# input; it needs a POSIX shell and the GNU coreutils.
#
#   find     says what the machine is, and whether the folder is complete
#   prepare  makes .copy-NAME for one copy, and removes folders that nobody uses; the files are then written to `all` there
#   install  divides `all` into the files, and makes them the folder
#
# CACHE is the folder in place of ~/.cache, or empty; NAME is that of the lab and the node, so that two of them never write
# to one place. HASH is of the text `sums`, which has the hash of each file. All that is said is lines that begin with
# "gpulab "; what the shell of a login prints is something else.

keep_s=1209600 # a folder is kept for 14 days after a worker was last started from it, by any lab on any machine

elsewhere="cache=FOLDER in the file of nodes names another folder"

say() {
    printf 'gpulab %s\n' "$*"
}

fail() {
    [ -z "$copy" ] || rm -rf "$copy" "$copy.damaged"
    say failed "$*"
    exit 0
}

# Runs a command; says its last message if it fails.
try() {
    message=$("$@" 2>&1) || fail "$(printf '%s\n' "$message" | tail -n 1)"
}

find_tools() {
    for tool in cat chmod date head id mkdir mv readlink rm sha256sum stat tail touch uname; do
        command -v "$tool" >/dev/null 2>&1 || fail "it has no program $tool"
    done
}

# A path that is not absolute is as good as none.
find_cache() {
    [ -z "$cache" ] || return 0
    case ${XDG_CACHE_HOME:-} in
    /*) cache=$XDG_CACHE_HOME && return 0 ;;
    esac
    case ${HOME:-} in
    /*) cache=$HOME/.cache ;;
    *) fail "neither HOME nor XDG_CACHE_HOME is set there; cache=FOLDER in the file of nodes names a folder" ;;
    esac
}

# Owner, permissions and the owner's name; nothing if there is no such file. Symbolic links are not followed.
describe() {
    stat -c '%u %A %U' "$1" 2>/dev/null
}

is_writable_for_others() {
    case $1 in
    ?????w* | ????????w*) return 0 ;; # the group, all
    esac
    return 1
}

# The folder that has ours must be one in which no other user can rename it. Takes the path, and what `describe` says.
check_cache() {
    [ "$2" = "$user" ] || [ "$2" = 0 ] || fail "$1 belongs to $4 ($2), who could replace the worker: $elsewhere"
    case $3 in
    *[tT]) return 0 ;; # sticky
    esac
    ! is_writable_for_others "$3" ||
        fail "$1 of $4 can be written by others ($3), who could replace the worker: chmod go-w it, or $elsewhere"
}

# What another user can replace is not executed. Takes the path, and what `describe` says; false if there is nothing.
check_folder() {
    [ $# -gt 1 ] || return 1
    [ "$2" = "$user" ] || fail "$1 belongs to $4 ($2), who could replace the worker: $elsewhere"
    case $3 in
    d*) ;;
    *) fail "$1 of $4 is a link or a file ($3), and must be a folder: remove it, or $elsewhere" ;;
    esac
    ! is_writable_for_others "$3" ||
        fail "$1 of $4 can be written by others ($3), who could replace the worker: remove it, and it is made with mode 0700"
}

# Goes down from the cache, so that each folder has been checked before what it has is looked at. `prepare` makes those
# that are missing. False if one is.
find_workers() {
    [ "$action" != prepare ] || [ -d "$cache" ] || try mkdir -p "$cache"
    [ -d "$cache" ] || return 1
    cache=$(cd "$cache" && pwd -P) || return 1
    case $cache in
    *[[:cntrl:]]*) fail "the path of its cache has a control character; $elsewhere" ;;
    esac
    # shellcheck disable=SC2046 # words
    check_cache "$cache" $(describe "$cache")
    for below in "$cache/gpulab" "$cache/gpulab/workers"; do
        [ "$action" != prepare ] || message=$(mkdir -m 700 "$below" 2>&1) || [ -d "$below" ] || fail "$message"
        # shellcheck disable=SC2046
        check_folder "$below" $(describe "$below") || return 1
    done
    workers=$below
    copy=$workers/.copy-$name
    for below in "$workers/$folder" "$workers/$folder/bin" "$workers/$folder/lib"; do
        # shellcheck disable=SC2046
        check_folder "$below" $(describe "$below") || break
    done
    return 0
}

is_complete() {
    [ -f "$1/sums" ] || return 1
    case $(sha256sum <"$1/sums") in
    "${folder##*-}"*) (cd "$1" && sha256sum -c --status sums 2>/dev/null) ;;
    *) return 1 ;;
    esac
}

say_libc() {
    say libc "$(getconf GNU_LIBC_VERSION 2>/dev/null || ldd --version 2>&1 | head -n 1)"
}

find_folder() {
    say machine "$(uname -m)"
    say_libc
    if [ -n "$workers" ] && is_complete "$workers/$folder"; then
        touch "$workers/$folder/used" 2>/dev/null
        say ready "$workers/$folder"
    else
        say missing
    fi
}

is_executed() {
    for link in /proc/[0-9]*/exe; do
        case $(readlink "$link" 2>/dev/null) in
        "$1"/*) return 0 ;;
        esac
    done
    return 1
}

prune() {
    now=$(date +%s)
    for old in "$workers"/*-* "$workers"/.copy-*; do
        [ -d "$old" ] && [ "$old" != "$workers/$folder" ] || continue
        used=$(stat -c %Y "$old/used" 2>/dev/null || stat -c %Y "$old") || continue
        [ $((now - used)) -le "$keep_s" ] || is_executed "$old" || rm -rf "$old"
    done
}

prepare() {
    prune
    try rm -rf "$copy" "$copy.damaged"
    try mkdir -p "$copy/bin" "$copy/lib"
    printf '#!/bin/sh\nexit 0\n' >"$copy/try" && chmod 700 "$copy/try"
    "$copy/try" 2>/dev/null || fail "programs cannot be executed in $workers (mounted noexec?); $elsewhere"
    say ready "$copy/all"
}

# Divides `all`, then verifies the files and that the worker can be started.
unpack() {
    at=1
    while [ $# -ge 3 ]; do
        message=$({ tail -c "+$at" "$copy/all" | head -c "$2" >"$copy/$1"; } 2>&1)
        printf '%s  %s\n' "$3" "$1" >>"$copy/sums"
        chmod 700 "$copy/$1"
        [ "$(stat -c %s "$copy/$1")" = "$2" ] || fail "$1 has not arrived whole${message:+: $message}"
        at=$((at + $2))
        shift 3
    done
    rm -f "$copy/all" "$copy/try"
    : >"$copy/used"
    wrong=$(cd "$copy" && sha256sum -c --quiet sums 2>/dev/null) || fail "what has arrived there differs: $(printf '%s\n' "$wrong" | head -n 1)"
    is_complete "$copy" || fail "what has arrived there differs: sums"
    message=$("$copy/bin/gpulab-worker" --help 2>&1 </dev/null)
    [ $? -le 2 ] || fail "it cannot be started there: $(printf '%s\n' "$message" | tail -n 1)"
}

install() {
    unpack "$@"
    # Another lab may have been faster. A folder whose files were damaged is replaced.
    if ! is_complete "$workers/$folder"; then
        rm -rf "$copy.damaged"
        mv -T "$workers/$folder" "$copy.damaged" 2>/dev/null
        if ! message=$(mv -T "$copy" "$workers/$folder" 2>&1) && ! is_complete "$workers/$folder"; then
            mv -T "$copy.damaged" "$workers/$folder" 2>/dev/null
            fail "$message"
        fi
        rm -rf "$copy.damaged"
    fi
    rm -rf "$copy"
    say ready "$workers/$folder"
}

main() {
    umask 077
    LC_ALL=C
    export LC_ALL
    action=$1 cache=$2 folder=$3 name=$4 copy='' workers=''
    shift 4
    find_tools
    find_cache
    user=$(id -u)
    find_workers || [ "$action" = find ] || fail "$cache/gpulab/workers cannot be used"
    case $action in
    find) find_folder ;;
    prepare) prepare ;;
    install) install "$@" ;;
    esac
}

main "$@" </dev/null # the last line: a text that has not arrived whole does nothing
