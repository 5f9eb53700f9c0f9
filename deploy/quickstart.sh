#!/usr/bin/env bash
# From a fresh Debian 12 or Ubuntu 24.04 to a running lab: installs what is missing, builds, starts the lab, runs a first
# transfer and prints its table and the lab's address. Called again, it builds what changed and finds the lab that runs.
#
#   deploy/quickstart.sh [--listen ADDRESS:PORT]    the lab stays; 127.0.0.1:8080 unless said otherwise
#   deploy/quickstart.sh --stop-after-run           for scripts: a lab on a free port with a history of its own, for one run
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packages.sh
. deploy/packages.sh

listen=127.0.0.1:8080 stop_after_run=no
while [ $# -gt 0 ]; do
    case $1 in
    --listen) listen=${2:?--listen wants ADDRESS:PORT} && shift ;;
    --stop-after-run) stop_after_run=yes ;;
    --help | -h) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" && exit ;;
    *) echo "unknown option $1; see --help" >&2 && exit 2 ;;
    esac
    shift
done
step() { printf '\n== %s\n' "$*"; }

step "what the build needs"
# shellcheck disable=SC2086 # a list of words
install_missing $build_needs
echo "all there"

step "build"
log=build/quickstart.log
mkdir -p build
if ! { cmake --preset release -DGPULAB_TESTS=OFF && cmake --build --preset release; } >$log 2>&1; then
    tail -n 40 $log >&2
    echo "the build failed; all of its output is in $log" >&2
    exit 1
fi
grep '^-- gpulab:' $log || true
lab=$PWD/build/release/gpulab
"$lab" --version

# Whether a lab answers at ADDRESS:PORT.
answers() {
    local host=${1%:*} port=${1##*:}
    (exec 3<>"/dev/tcp/$host/$port" && printf 'GET /api/v1/version HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3 &&
        timeout 5 grep -q '"gpulab"' <&3) 2>/dev/null
}

# Starts the lab with its output in $1; sets `pid` and `address`.
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
    echo "the lab did not start" >&2
    return 1
}

step "the lab"
if [ $stop_after_run = yes ]; then
    folder=$(mktemp -d)
    trap 'kill "$pid" 2>/dev/null && wait "$pid"; rm -rf "$folder"' EXIT
    start "$folder/log" --listen 127.0.0.1:0 --db "$folder/lab.db"
elif answers "$listen"; then
    address=http://$listen pid=
    echo "it runs already"
else
    state=${XDG_STATE_HOME:-$HOME/.local/state}/gpulab
    mkdir -p "$state"
    start "$state/serve.log" --listen "$listen"
    echo "process $pid, history and log in $state"
fi
echo "$address"

step "a first transfer"
"$lab" run transfer --server "$address" --note "first run by quickstart.sh"

if [ $stop_after_run = yes ]; then
    step "stopped, as asked"
    kill "$pid" && wait "$pid"
    trap - EXIT
    rm -rf "$folder"
else
    step "ready"
    echo "open $address"
    [ -z "$pid" ] || echo "stop it with: kill $pid"
fi
