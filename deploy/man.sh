#!/bin/sh
# Writes the manual pages of gpulab and of its commands, from what they print as help, so that the tables of options in the code are
# what describes them:  deploy/man.sh FOLDER GPULAB…, where GPULAB may follow what emulates another processor
set -eu
folder=$1
shift
scripts=$(dirname "$0")
version=$("$@" --version | cut -d ' ' -f 2)

page() { # NAME SUMMARY COMMAND…
    name=$1 summary=$2
    shift 2
    "$@" | awk -v page="$name" -v version="$version" -v summary="$summary" -f "$scripts/man.awk" | gzip -9n >"$folder/$name.1.gz"
}

rm -rf "$folder"
mkdir -p "$folder"
page gpulab "$("$@" help | sed -n '1s/^[^:]*: //p')" "$@" help
"$@" help | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command summary; do
    page "gpulab-$command" "$summary" "$@" help "$command"
done
