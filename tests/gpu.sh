#!/usr/bin/env bash
# Tests what needs a GPU, on a machine that has one and may have neither internet nor compilers:
#
#   tests/gpu.sh BUNDLE       BUNDLE is what `cmake --build --preset gpu --target bundle` made (there it is ./gpu.sh .)
#
# Each experiment runs in its quick form and must verify; pinned copies are held against plain loops that share no code with
# the lab, round by round, so that both see the same machine; the same goes through a server over HTTP; afterwards
# nothing of the lab may be left on the GPU. Ends with one line `N passed, N failed`. Details go to $OUT where that is set.
set -uo pipefail
bundle=$(cd "${1:-$(dirname "$0")}" && pwd) || exit 2
PATH=$bundle/bin:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer:$PATH
export LC_ALL=C GPULAB_RUNTIME=${GPULAB_RUNTIME:-cuda}
rounds=${ROUNDS:-5} bytes=268435456 tolerance=0.02

work=$(mktemp -d)
details=${OUT:-$work/details}
mkdir -p "$details"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
# Two histories: commands without --server must not find the server of this test.
export XDG_STATE_HOME=$work/local

passed=0 failed=0
ok() { # WHAT COMMAND…
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "ok      $what"
    else
        failed=$((failed + 1))
        echo "FAILED  $what"
    fi
}
skip() { echo "skipped $1"; }
holds() { awk "BEGIN { exit !($1) }"; } # an expression over numbers

median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# --- reading JSON, without a tool for it ---------------------------------------------------------------------------------
measurements() { tr -d '\n' <"$1" | sed 's/"axes" *:/\n&/g' | grep '"axes"'; } # one a line
median_of() { # FILE DIRECTION MEMORY: GB/s
    measurements "$1" | grep '"metric" *: *"bandwidth"' | grep "\"direction\" *: *\"$2\"" | grep "\"memory\" *: *\"$3\"" |
        grep -o '"median" *: *[0-9.eE+-]*' | head -n 1 | grep -o '[0-9.eE+-]*$'
}
succeeded() { grep -q '"status" *: *"succeeded"' "$1"; }
verified() { grep -q '"verified" *: *true' "$1" && ! grep -q '"verified" *: *false' "$1"; }
all_good() { # FILE…
    local file
    for file in "$@"; do
        succeeded "$file" && verified "$file" || return 1
    done
}

# --- what is on the GPU ---------------------------------------------------------------------------------------------------
processes() { nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | grep -c '[0-9]'; }
used_mebibytes() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null | awk '{ s += $1 } END { print s + 0 }'; }

gpulab --version && nvidia-smi --query-gpu=name,uuid,driver_version,pcie.link.gen.max,pcie.link.width.max --format=csv
base_processes=$(processes) base_mebibytes=$(used_mebibytes)

# --- the runtime's table, and the devices ------------------------------------------------------------------------------
gpulab devices --json >"$details/devices.json" || { echo '0 passed, 1 failed' && exit 1; }
gpulab-runtime-check --rates "$GPULAB_RUNTIME" >"$details/runtime_check.txt" 2>&1
ok "the runtime's table, entry by entry: $(tail -n 1 "$details/runtime_check.txt")" \
    grep -q '^[1-9][0-9]* passed, 0 failed$' "$details/runtime_check.txt"
ok 'that was on a GPU' grep -q '"backend": *"cuda"' "$details/runtime_check.txt"
ok 'devices: a CUDA device with its UUID' grep -q '"id" *: *"\(GPU\|MIG\)-' "$details/devices.json"
ok 'devices: its PCI address and memory bandwidth' grep -q '"memory_peak_bytes_per_s" *: *[0-9]' "$details/devices.json"

# --- every experiment, quick -------------------------------------------------------------------------------------------
for experiment in $(gpulab experiments | awk 'NR > 1 && /^[a-z]/ { print $1 }'); do
    gpulab run "$experiment" --quick --json --no-save >"$details/$experiment.json" 2>"$details/$experiment.log"
    ok "run $experiment --quick succeeds" succeeded "$details/$experiment.json"
    ok "run $experiment --quick: every point verified" verified "$details/$experiment.json"
done
gpulab run all --quick --no-save >"$details/all.txt" 2>&1
ok 'run all --quick' test $? = 0

# --- pinned copies against plain loops, interleaved: plain, the lab, the lab through its server ------------------------------
gpulab serve --listen 127.0.0.1:0 --db "$work/server.db" --worker-idle 1 >"$work/serve.log" 2>"$details/serve.err" &
server=$!
for _ in $(seq 100); do
    address=$(sed -n 's/^listening on //p' "$work/serve.log")
    [ -z "$address" ] && sleep 0.1 || break
done
ok 'the server starts' test -n "$address"

transfer() { # FILE MEMORY [OPTION…]
    local file=$1 memory=$2
    shift 2
    gpulab run transfer --set direction=h2d,d2h --set "memory=$memory" --set engine=copy --set min_bytes=$bytes --set max_bytes=$bytes \
        --set time_budget_s=2 --json "$@" >"$file" 2>>"$details/transfer.log"
}
for round in $(seq "$rounds"); do
    gpulab-plain-copy $bytes 10 >"$details/plain.$round.jsonl"
    transfer "$details/lab.$round.json" pinned --no-save
    transfer "$details/http.$round.json" pinned --server "$address"
    for direction in h2d d2h; do
        grep "\"$direction\"" "$details/plain.$round.jsonl" | grep -o '"bandwidth":[0-9.e+]*' | cut -d: -f2 >>"$work/plain.$direction"
        median_of "$details/lab.$round.json" $direction pinned >>"$work/lab.$direction"
        median_of "$details/http.$round.json" $direction pinned >>"$work/http.$direction"
    done
done
warm_processes=$(processes) warm_mebibytes=$(used_mebibytes)
for direction in h2d d2h; do
    plain=$(median <"$work/plain.$direction")
    for way in lab http; do
        measured=$(median <"$work/$way.$direction")
        line="$direction, 256 MiB, pinned: $way ${measured:-nothing}, plain loop ${plain:-nothing} GB/s"
        ok "$line, ratio $(awk "BEGIN { print ${measured:-0} / ${plain:-1} }")" \
            holds "${measured:-0} > ${plain:-1} * (1 - $tolerance) && ${measured:-0} < ${plain:-1} * (1 + $tolerance)"
    done
done | tee "$details/ratios.txt"
# The loop above ran in a pipe: count what it said.
passed=$((passed + $(grep -c '^ok' "$details/ratios.txt"))) failed=$((failed + $(grep -c '^FAILED' "$details/ratios.txt")))
ok 'every round verified' all_good "$details"/lab.*.json "$details"/http.*.json

# --- nothing of the lab stays on the GPU -------------------------------------------------------------------------------------
sleep 2 # the idle time and a second more
if [ "$warm_processes" -gt "$base_processes" ]; then
    ok "no process left on the GPU 1 s after the worker's idle time ($base_processes before, $warm_processes warm, $(processes) now)" \
        test "$(processes)" -le "$base_processes"
elif [ "$warm_mebibytes" -gt $((base_mebibytes + 50)) ]; then
    # Process lists are empty across containers; the context's memory is not.
    ok "no context left on the GPU 1 s after the worker's idle time ($base_mebibytes MiB before, $warm_mebibytes warm, $(used_mebibytes) now)" \
        test "$(used_mebibytes)" -le $((base_mebibytes + 20))
else
    ok 'a warm worker can be seen on the GPU, so that its absence means something' false
fi
ok 'the server has no worker either' test -z "$(cat /proc/"$server"/task/*/children 2>/dev/null)"

# --- how long a person waits for the first point --------------------------------------------------------------------------------
first_measurement() { # seconds from the POST to the first `measurement` event
    local host=${address#http://} body line began
    body='{"experiment":"transfer","parameters":{"direction":"h2d","memory":"pinned","min_bytes":4096,"max_bytes":4096,"max_samples":1}}'
    exec 3<>"/dev/tcp/${host%:*}/${host##*:}" 4<>"/dev/tcp/${host%:*}/${host##*:}" || return
    printf 'GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n' >&3
    while read -r -t 5 line <&3 && [ "$line" != $'\r' ]; do :; done
    began=$EPOCHREALTIME
    printf 'POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
        ${#body} "$body" >&4
    while read -r -t 20 line <&3 && [[ $line != 'event: measurement'* ]]; do :; done
    awk "BEGIN { print $EPOCHREALTIME - $began }"
    exec 3>&- 4>&-
    sleep 0.5 # the rest of the run
}
cold=$(first_measurement) # the worker has just been seen to be gone
warm=$(for _ in 1 2 3 4 5; do first_measurement; done | median)
ok "POST to first measurement: ${cold:-nothing} s without a worker" holds "0 < ${cold:-0} && ${cold:-0} < 1"
ok "POST to first measurement: ${warm:-nothing} s with a warm one" holds "0 < ${warm:-0} && ${warm:-0} < ${cold:-0}"

transfer "$details/pageable.json" pageable,pinned --server "$address"
for direction in h2d d2h; do
    pageable=$(median_of "$details/pageable.json" $direction pageable) pinned=$(median_of "$details/pageable.json" $direction pinned)
    ok "$direction: pageable ${pageable:-nothing} below pinned ${pinned:-nothing} GB/s" holds "0 < ${pageable:-0} && ${pageable:-0} < ${pinned:-0}"
done

kill "$server" && wait "$server"
ok 'the server stops when told to' test $? = 0
server=

# --- memory errors --------------------------------------------------------------------------------------------------------
if command -v compute-sanitizer >/dev/null; then
    cat >"$work/worker" <<END
#!/bin/sh
exec compute-sanitizer --tool memcheck --log-file "$details/memcheck.txt" --error-exitcode 99 "$bundle/bin/gpulab-worker" "\$@"
END
    chmod +x "$work/worker"
    gpulab run transfer --worker "$work/worker" --no-save --json --set min_bytes=64KiB --set max_bytes=1MiB --set factor=4 \
        --set direction=h2d,d2h,d2d --set memory=pageable,pinned,write-combined,mapped --set engine=copy,sm --set opposing=false,true \
        --set pattern=contiguous,pieces,pitched,rows --set max_samples=1 >"$details/memcheck.json" 2>"$details/memcheck.log"
    ok 'a run under compute-sanitizer succeeds and verifies' all_good "$details/memcheck.json"
    ok 'compute-sanitizer finds nothing' grep -q 'ERROR SUMMARY: 0 errors' "$details/memcheck.txt"
else
    skip 'compute-sanitizer is not here'
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
