#!/bin/bash
# Measures a sweep every night and compares it with a baseline, over HTTP alone, with curl and jq.
#
#   nightly.sh             # submits the sweep, waits for it, writes nightly/RUN.csv, compares with the pinned runs
#   nightly.sh --pin       # the same, and then pins these runs: they are the baseline of the next nights
#
# Exit codes: 0: no point is slower than in the baseline; 1: a point is slower, a result is wrong, or a run failed;
# 2: the lab refused or cannot be reached; 3: the lab has no GPU.
#
# Environment: GPULAB_SERVER: the address of the lab. GPULAB_TOKEN_FILE: a file with a token of it. NIGHTLY_SWEEP: the
# body of POST /api/v1/sweeps. NIGHTLY_RUNTIME: what must be measured, cuda or host (the CPU); cuda if it is not set.
set -Eeuo pipefail
trap 'exit 2' ERR

api=${GPULAB_SERVER:-http://127.0.0.1:8080}/api/v1
runtime=${NIGHTLY_RUNTIME:-cuda}
default_sweep='{"experiment": "transfer", "tags": ["nightly"],
    "parameters": {"memory": ["pinned", "pageable"], "direction": ["h2d", "d2h"], "max_bytes": 67108864}}'

call() { # METHOD PATH [ARGUMENT OF curl…]; the token is not an argument, because others can read those
    curl --fail-with-body --silent --show-error --request "$1" --header 'Content-Type: application/json' \
        --config <(printf '%s' "${GPULAB_TOKEN_FILE:+header = \"Authorization: Bearer $(<"$GPULAB_TOKEN_FILE")\"}") \
        "${@:3}" "$api$2"
}

# A lab whose GPU is gone measures the CPU, unless it was started with --runtime cuda. That must not pass.
devices=$(call GET /devices | jq -c --arg runtime "$runtime" '[.devices[] | select(.backend == $runtime) | .id]')
if [ "$devices" = '[]' ]; then
    echo "the lab has no device of the runtime $runtime"
    exit 3
fi

# A sweep is a run for each combination of the values in its lists.
sweep=$(call POST /sweeps --data "${NIGHTLY_SWEEP:-$default_sweep}" | jq -r .id)
echo "sweep $sweep"
count() { call GET "/runs?sweep=$sweep&limit=500" | jq "[.runs[] | select($1)] | length"; }
live='.status == "queued" or .status == "running"'

# Each change of a run is an event that names its sweep. Events before the stream was open are not missed: it ends after
# 10 s, and the runs are counted again.
left=$(count "$live")
while [ "$left" != 0 ]; do
    while [ "$left" != 0 ] && read -r line; do
        case $line in 'data:'*"\"$sweep\""*) left=$(count "$live") ;; esac
    done < <(call GET /events --no-buffer --max-time 10 2>/dev/null || true)
    left=$(count "$live")
done
runs=$(call GET "/runs?sweep=$sweep&limit=500" | jq -r '.runs[].id')
mkdir -p nightly
for run in $runs; do call GET "/runs/$run/measurements.csv" --output "nightly/$run.csv"; done
elsewhere=$(count "any(.devices[]; .id as \$id | $devices | index(\$id) | not)")
if [ "$elsewhere" != 0 ]; then
    echo "runs that were not of the runtime $runtime: $elsewhere"
    exit 3
fi
failed=$(count '.status != "succeeded"')
echo "runs that did not succeed: $failed"

# The baseline is the newest pinned run of the same experiment, device model and points. The first night has none. Five
# other runs of a point show how much they vary; until then it is unclear.
slower=0 unclear=0 wrong=0
for run in $runs; do
    if comparison=$(call GET "/compare?base=pinned&head=$run" 2>/dev/null); then
        jq -r '.points[] | select(.verdict == "slower") | "slower: \(.axes) \(.metric) x \(.ratio)"' <<<"$comparison"
        jq -r '.samples_missing | to_entries[] | select(.value > 0) | "the \(.key) has no samples at \(.value) points"' \
            <<<"$comparison"
        slower=$((slower + $(jq .summary.slower <<<"$comparison")))
        unclear=$((unclear + $(jq .summary.unclear <<<"$comparison")))
        wrong=$((wrong + $(jq '.base.wrong_count + .head.wrong_count' <<<"$comparison")))
    elif [ "$(jq -r .status <<<"$comparison")" = 404 ]; then
        echo "$run is not compared: $(jq -r .detail <<<"$comparison")"
    else
        echo "$run cannot be compared: $comparison"
        exit 2
    fi
    if [ "${1:-}" = --pin ] && [ "$failed" = 0 ]; then
        call PATCH "/runs/$run" --header 'If-Match: *' --data '{"pinned": true}' --output /dev/null
    fi
done
echo "points that are slower than in the baseline: $slower"
echo "points that are unclear: $unclear"
echo "results that are wrong: $wrong"
[ "$slower" = 0 ] && [ "$wrong" = 0 ] && [ "$failed" = 0 ] || exit 1
