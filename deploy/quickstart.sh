#!/usr/bin/env bash
# Installs missing packages, builds gpulab, starts it, runs a first transfer and prints its table and the address. For a fresh
# Debian 12 or Ubuntu 24.04. Can be run again: it rebuilds what changed and uses a gpulab that is running already.
#
#   deploy/quickstart.sh [--listen ADDRESS:PORT]    leaves gpulab running, on 127.0.0.1:8080 by default
#   deploy/quickstart.sh --stop-after-run           for scripts: a free port, a temporary database, one run, then stops
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packages.sh
. deploy/packages.sh

listen=127.0.0.1:8080 stop_after_run=no
while [ $# -gt 0 ]; do
    case $1 in
    --listen) listen=${2:?--listen needs ADDRESS:PORT} && shift ;;
    --stop-after-run) stop_after_run=yes ;;
    --help | -h) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" && exit ;;
    *) echo "unknown option $1; see --help" >&2 && exit 2 ;;
    esac
    shift
done
step() { printf '\n== %s\n' "$*"; }

step "packages"
# shellcheck disable=SC2086 # a list of words
install_missing $build_needs
# shellcheck disable=SC2086
install_missing $optional_build_needs || echo "the build does without: $optional_build_needs"
# shellcheck disable=SC2086
install_missing $optional_run_needs || echo "gpulab does without: $optional_run_needs"
echo "all installed"

step "build"
log=build/quickstart.log
mkdir -p build
if ! { cmake --preset release -DGPULAB_TESTS=OFF && cmake --build --preset release; } >$log 2>&1; then
    tail -n 40 $log >&2
    echo "the build failed; its full output is in $log" >&2
    exit 1
fi
grep '^-- gpulab:' $log || true
lab=$PWD/build/release/gpulab
"$lab" --version

# Tests whether gpulab answers at ADDRESS:PORT.
answers() {
    local host=${1%:*} port=${1##*:}
    (exec 3<>"/dev/tcp/$host/$port" && printf 'GET /api/v1/version HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3 &&
        timeout 5 grep -q '"gpulab"' <&3) 2>/dev/null
}

# Starts gpulab with its output in file $1 and the other arguments; sets `pid` and `address`.
start() {
    local output=$1
    shift
    setsid "$lab" serve "$@" >"$output" 2>&1 </dev/null &
    pid=$!
    for _ in $(seq 300); do
        address=$(sed -n 's/^listening on //p' "$output")
        [ -z "$address" ] || return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    cat "$output" >&2
    echo "gpulab did not start" >&2
    return 1
}

step "start gpulab"
if [ $stop_after_run = yes ]; then
    folder=$(mktemp -d)
    trap 'kill "$pid" 2>/dev/null && wait "$pid"; rm -rf "$folder"' EXIT
    start "$folder/log" --listen 127.0.0.1:0 --db "$folder/lab.db"
elif answers "$listen"; then
    address=http://$listen pid=
    echo "already running"
else
    state=${XDG_STATE_HOME:-$HOME/.local/state}/gpulab
    mkdir -p "$state"
    start "$state/serve.log" --listen "$listen"
    echo "process $pid, database and log in $state"
fi
echo "$address"

step "a first transfer"
"$lab" run transfer --server "$address" --note "first run by quickstart.sh"

if [ $stop_after_run = yes ]; then
    step "stop"
    kill "$pid" && wait "$pid"
    trap - EXIT
    rm -rf "$folder"
else
    step "ready"
    echo "open $address"
    [ -z "$pid" ] || echo "stop it with: kill $pid"
fi
