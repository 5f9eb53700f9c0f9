#!/usr/bin/env bash
# The tests that need a GPU, for a machine that has one; it needs neither internet access nor a compiler:
#
#   tests/gpu.sh BUNDLE       BUNDLE is the folder that `cmake --build --preset gpu --target bundle` creates; the folder
#                             contains this script, so that `./gpu.sh .` works in it
#
# Every experiment runs with --quick and must verify its results. Pinned copies, cuBLAS, peer copies and all-reduces are
# compared with plain loops that share no code with the lab, in alternating rounds, so that both run under the same
# conditions; pinned copies also through a server over HTTP. Afterwards no process or memory of the lab may remain on the GPU.
# The last line is `N passed, N failed`. Results and logs are written to the folder $OUT, if it is set.
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
# A state folder of its own, so that commands without --server do not find the server of this test.
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
holds() { awk "BEGIN { exit !($1) }"; } # EXPRESSION of numbers, in awk's syntax

median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# --- reading JSON with grep and sed, because jq may be missing ------------------------------------------------------------
measurements() { tr -d '\n' <"$1" | sed 's/"axes" *:/\n&/g' | grep '"axes"'; } # FILE: one measurement per line
# The first number among the medians of the lines on stdin; a skipped measurement has the median null.
first_median() { grep -o '"median" *: *-\?[0-9][0-9.eE+-]*' | head -n 1 | grep -o '[0-9.eE+-]*$'; }
median_of() { # FILE DIRECTION MEMORY: GB/s
    measurements "$1" | grep '"metric" *: *"bandwidth"' | grep "\"direction\" *: *\"$2\"" | grep "\"memory\" *: *\"$3\"" | first_median
}
succeeded() { grep -q '"status" *: *"succeeded"' "$1"; }
verified() { grep -q '"verified" *: *true' "$1" && ! grep -q '"verified" *: *false' "$1"; }
measured() { grep -q '"median" *: *[0-9]' "$1"; } # FILE: has at least one result
all_good() { # FILE…
    local file
    for file in "$@"; do
        succeeded "$file" && verified "$file" || return 1
    done
}
value() { # FILE METRIC PATTERN…: the first median of the metric among the measurements that match all patterns
    local lines pattern metric=$2
    lines=$(measurements "$1" | grep "\"metric\" *: *\"$metric\"")
    shift 2
    for pattern in "$@"; do lines=$(grep "$pattern" <<<"$lines"); done
    first_median <<<"$lines"
}
axis() { echo "\"$1\" *: *\"\?$2\"\?[ ,}]"; } # NAME VALUE: a pattern for measurements with that value
field() { grep -o "\"$2\":\"\?[^,}\"]*" <<<"$1" | sed 's/.*:"\?//'; } # LINE NAME: a field of a line that a plain program printed

# --- processes and memory on the GPU --------------------------------------------------------------------------------------
processes() { nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | grep -c '[0-9]'; }
used_mebibytes() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null | awk '{ s += $1 } END { print s + 0 }'; }

gpulab --version && nvidia-smi --query-gpu=name,uuid,driver_version,pcie.link.gen.max,pcie.link.width.max --format=csv
base_processes=$(processes) base_mebibytes=$(used_mebibytes)

# --- the runtime's functions, and the devices -----------------------------------------------------------------------------
gpulab devices --json >"$details/devices.json" || { echo '0 passed, 1 failed' && exit 1; }
gpulab-runtime-check --rates "$GPULAB_RUNTIME" >"$details/runtime_check.txt" 2>&1
ok "the runtime check: $(tail -n 1 "$details/runtime_check.txt")" \
    grep -q '^[1-9][0-9]* passed, 0 failed$' "$details/runtime_check.txt"
ok 'the runtime check ran on a GPU' grep -q '"backend": *"cuda"' "$details/runtime_check.txt"
ok 'devices: a CUDA device with a UUID' grep -q '"id" *: *"\(GPU\|MIG\)-' "$details/devices.json"
ok 'devices: the peak memory bandwidth is known' grep -q '"memory_peak_bytes_per_s" *: *[0-9]' "$details/devices.json"

# --- every experiment with --quick ----------------------------------------------------------------------------------------
for experiment in $(gpulab experiments | awk 'NR > 1 && /^[a-z]/ { print $1 }'); do
    gpulab run "$experiment" --quick --json --no-save >"$details/$experiment.json" 2>"$details/$experiment.log"
    if grep -q 'devices are needed' "$details/$experiment.log"; then
        skip "$experiment: $(tail -n 1 "$details/$experiment.log")"
        continue
    fi
    ok "run $experiment --quick succeeds" succeeded "$details/$experiment.json"
    reason=$(grep -o '"skipped" *: *"[^"]*"' "$details/$experiment.json" | head -n 1)
    if [ "$experiment" = collectives ] && [ -n "$reason" ] && ! measured "$details/$experiment.json"; then
        skip "$experiment: $reason" # no NCCL
    else
        ok "run $experiment --quick: every point verified" verified "$details/$experiment.json"
    fi
done
gpulab run all --quick --no-save >"$details/all.txt" 2>&1
ok 'run all --quick' test $? = 0

# --- pinned copies: a plain loop, the lab, and the lab through its server, in turns ---------------------------------------
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
        line="$direction, 256 MiB, pinned: $way ${measured:-no result}, plain loop ${plain:-no result} GB/s"
        ok "$line, ratio $(awk "BEGIN { print ${measured:-0} / ${plain:-1} }")" \
            holds "${measured:-0} > ${plain:-1} * (1 - $tolerance) && ${measured:-0} < ${plain:-1} * (1 + $tolerance)"
    done
done | tee "$details/ratios.txt"
# The loop above ran in a subshell, whose counts are lost: count its output.
passed=$((passed + $(grep -c '^ok' "$details/ratios.txt"))) failed=$((failed + $(grep -c '^FAILED' "$details/ratios.txt")))
ok 'every round verified' all_good "$details"/lab.*.json "$details"/http.*.json

# --- nothing of the lab remains on the GPU --------------------------------------------------------------------------------
sleep 2 # the idle time and one second more
if [ "$warm_processes" -gt "$base_processes" ]; then
    ok "no process left on the GPU 1 s after the worker's idle time ($base_processes before, $warm_processes warm, $(processes) now)" \
        test "$(processes)" -le "$base_processes"
elif [ "$warm_mebibytes" -gt $((base_mebibytes + 50)) ]; then
    # In a container the list of processes is empty, but the memory of a context can be seen.
    ok "no context left on the GPU 1 s after the worker's idle time ($base_mebibytes MiB before, $warm_mebibytes warm, $(used_mebibytes) now)" \
        test "$(used_mebibytes)" -le $((base_mebibytes + 20))
else
    ok 'a warm worker can be seen on the GPU (otherwise this test shows nothing)' false
fi
ok 'the server has no worker process' test -z "$(cat /proc/"$server"/task/*/children 2>/dev/null)"

# --- time from the POST to the first measurement --------------------------------------------------------------------------
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
cold=$(first_measurement) # no worker is running: checked above
warm=$(for _ in 1 2 3 4 5; do first_measurement; done | median)
ok "POST to first measurement: ${cold:-no result} s without a worker" holds "0 < ${cold:-0} && ${cold:-0} < 1"
ok "POST to first measurement: ${warm:-no result} s with a warm worker" holds "0 < ${warm:-0} && ${warm:-0} < ${cold:-0}"

transfer "$details/pageable.json" pageable,pinned --server "$address"
for direction in h2d d2h; do
    pageable=$(median_of "$details/pageable.json" $direction pageable) pinned=$(median_of "$details/pageable.json" $direction pinned)
    ok "$direction: pageable ${pageable:-no result} below pinned ${pinned:-no result} GB/s" holds "0 < ${pageable:-0} && ${pageable:-0} < ${pinned:-0}"
done

kill "$server" && wait "$server"
ok 'the server stops on SIGTERM' test $? = 0
server=

# --- cuBLAS: the lab and a plain loop, in one process ---------------------------------------------------------------------
if command -v gpulab-plain-gemm >/dev/null; then
    gpulab-plain-gemm >"$details/gemm.jsonl" 2>"$details/gemm.err"
    status=$?
    if [ $status = 77 ]; then
        skip "cuBLAS compared with a plain loop: $(tail -n 1 "$details/gemm.err")"
    else
        ok 'the plain loop of cuBLAS runs' test $status -le 1
        while read -r line; do
            ratio=$(grep -o '"ratio":[0-9.]*' <<<"$line" | cut -d: -f2)
            ok "cuBLAS: $line" holds "${ratio:-0} > 1 - $tolerance && ${ratio:-0} < 1 + $tolerance"
        done <"$details/gemm.jsonl"
    fi
else
    skip 'gpulab-plain-gemm is not in the bundle'
fi

# --- the module table: launches compared with <<<>>>, and strides with a plain gather --------------------------------------
if command -v gpulab-plain-launch >/dev/null; then
    gpulab-plain-launch >"$details/launch.jsonl" 2>"$details/launch.err"
    ok 'the plain launches run' test $? = 0
    gpulab run coalescing --set bytes=$bytes --set access=read --set pattern=strided --set stride=1,2,4,8,16,32 --json --no-save \
        >"$details/coalescing-strides.json" 2>"$details/coalescing-strides.log"
    ok 'coalescing verifies' all_good "$details/coalescing-strides.json"
    while read -r line; do
        ratio=$(field "$line" ratio) stride=$(field "$line" stride)
        ok "module table: $line" holds "${ratio:-0} > 0.95 && ${ratio:-0} < 1.05"
        [ "$stride" != 0 ] || continue
        measured=$(value "$details/coalescing-strides.json" bandwidth "$(axis stride "$stride")")
        plain=$(field "$line" plain_gbs)
        # The plain gather computes a remainder for each element, which costs up to a tenth where memory is not the limit.
        ok "coalescing, stride $stride: ${measured:-no result}, plain gather ${plain:-no result} GB/s" \
            holds "${measured:-0} > ${plain:-1} * 0.95 && ${measured:-0} < ${plain:-1} * ($stride < 4 ? 1.15 : 1.05)"
    done <"$details/launch.jsonl"
else
    skip 'gpulab-plain-launch is not in the bundle'
fi

# --- matmul: the throughput of the steps, on Hopper -----------------------------------------------------------------------
hopper=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | grep '^9\.0')
if [ -n "$hopper" ]; then
    gpulab run matmul --set step=tiled-32,register-tiles,vectorized,double-buffered,warp-tiled,mma,wgmma,cublas \
        --set type=fp32,bf16 --set layout=nn,tn --set min_size=4096 --set max_size=8192 --set time_budget_s=20 --json --no-save \
        >"$details/matmul-large.json" 2>"$details/matmul-large.log"
    ok 'matmul at 4096 and 8192 verifies' all_good "$details/matmul-large.json"
    reaches() { # STEP TYPE LAYOUT SIZE LEAST
        local share
        share=$(value "$details/matmul-large.json" share_of_reference "$(axis step $1)" "$(axis type $2)" "$(axis layout $3)" "$(axis m $4)")
        ok "$1, $2 $3, $4: ${share:-no result} of cuBLAS" holds "${share:-0} >= $5"
    }
    for size in 4096 8192; do
        reaches warp-tiled fp32 nn $size 0.9
        reaches mma bf16 nn $size 0.5
        reaches mma bf16 tn $size 0.5
    done
    reaches wgmma bf16 tn 8192 0.9
    for ceiling in write:0.94 read:0.87; do
        share=$(value "$details/matmul-large.json" share_of_peak "$(axis variant ${ceiling%:*})")
        ok "memory ceiling, ${ceiling%:*}: ${share:-no result} of the peak" holds "${share:-0} >= ${ceiling#*:}"
    done
    # cuBLAS then multiplies fp32 in TF32: the timed product is wrong, and faster than the fp32 cores could be.
    NVIDIA_TF32_OVERRIDE=1 gpulab run matmul --set step=cublas --set type=fp32 --set min_size=4096 --set max_size=4096 \
        --set time_budget_s=4 --json --no-save >"$details/tf32.json" 2>"$details/tf32.log"
    ok 'a product in TF32 instead of fp32 fails' grep -q '"code" *: *"wrong-result"\|problems/wrong-result' "$details/tf32.json"
    ok 'a product in TF32 instead of fp32 exceeds the peak, with a warning' grep -q 'times its peak (fp32 cores)' "$details/tf32.json"
    below=0
    for step in tiled-32 register-tiles vectorized double-buffered warp-tiled; do
        reached=$(value "$details/matmul-large.json" throughput "$(axis step $step)" "$(axis type fp32)" "$(axis layout nn)" "$(axis m 4096)")
        ok "$step at 4096: ${reached:-no result} GFLOP/s, not slower than the step before" holds "${reached:-0} >= $below"
        below=${reached:-0}
    done
fi

# --- several GPUs: peer copies and all-reduce compared with plain loops; scaling; transpose -------------------------------
peer() { # FILE [OPTION…]
    local file=$1
    shift
    gpulab run peer --set bytes=$bytes --set engine=copy --json --no-save "$@" >"$file" 2>>"$details/peer.log"
}
gpus=$(nvidia-smi --list-gpus | grep -c '^GPU')
if [ "$gpus" -ge 2 ]; then
    for round in $(seq "$rounds"); do
        gpulab-plain-peer $bytes 5 >"$details/plain-peer.$round.jsonl"
        ok "the plain loop of peer copies, round $round" test $? = 0
        peer "$details/peer.$round.json" --set pattern=pair --set peer_access=true --set time_budget_s=1
        ok "peer copies, round $round: verified" all_good "$details/peer.$round.json"
    done
    cat "$details"/plain-peer.*.jsonl | grep '"peer_access":true' >"$work/plain.peer"
    peer "$details/ways.json" --set pattern=pair,both-ways --set peer_access=true,false
    while read -r line; do
        echo "$(field "$line" source_id) $(field "$line" target_id) $(field "$line" access)"
    done <"$work/plain.peer" | sort -u >"$work/pairs"
    both_ways=0
    while read -r source target access; do
        of_pair="${source:0:8} to ${target:0:8}, $access"
        plain=$(grep "\"source_id\":\"$source\",\"target_id\":\"$target\",\"access\":\"$access\"" "$work/plain.peer" |
            while read -r line; do field "$line" bandwidth; done | median)
        measured=$(for round in $(seq "$rounds"); do
            value "$details/peer.$round.json" bandwidth "$(axis source "$source")" "$(axis target "$target")" "$(axis access "$access")"
        done | median)
        ok "$of_pair: lab ${measured:-no result}, plain loop ${plain:-no result} GB/s, ratio $(awk "BEGIN { print ${measured:-0} / ${plain:-1} }")" \
            holds "${measured:-0} > ${plain:-1} * (1 - $tolerance) && ${measured:-0} < ${plain:-1} * (1 + $tolerance)"

        way() { value "$details/ways.json" "$1" "$(axis source "$source")" "$(axis target "$target")" "$(axis access $access)" "$(axis peer_access $2)"; }
        one=$(way bandwidth true) both=$(way aggregate_bandwidth true) off=$(way bandwidth false)
        ok "$of_pair: ${off:-no result} GB/s without peer access" holds "0 < ${off:-0} && ${off:-0} < ${one:-0} / 2"
        [ -z "$both" ] || both_ways=$((both_ways + 1)) # only one of the two directions has this measurement
        [ -z "$both" ] || ok "$of_pair: $both GB/s both ways, ${one:-no result} GB/s one way" holds "$both >= 1.9 * ${one:-1}"
    done <"$work/pairs"
    pairs=$(wc -l <"$work/pairs")
    if [ "$pairs" = 0 ]; then
        skip 'peer copies compared with plain loops: these GPUs have no peer access'
    else
        ok "both ways is measured once for each two of the $pairs pairs" test $((2 * both_ways)) = "$pairs"
    fi

    gpulab run scaling --set kernel=pairs --set scaling=strong --set time_budget_s=30 --json --no-save >"$details/scaling.json" 2>"$details/scaling.log"
    ok 'scaling verifies' all_good "$details/scaling.json"
    efficiency=$(value "$details/scaling.json" efficiency "$(axis device_count 2)")
    ok "strong scaling of pairs on 2 GPUs: efficiency ${efficiency:-no result}" holds "${efficiency:-0} >= 0.98"
    if [ "$gpus" -ge 4 ]; then
        efficiency=$(value "$details/scaling.json" efficiency "$(axis device_count 4)")
        ok "strong scaling of pairs on 4 GPUs: efficiency ${efficiency:-no result}" holds "${efficiency:-0} >= 0.95"
    fi
    gpulab run peer-transpose --set n=16384 --json --no-save >"$details/peer-transpose.json" 2>"$details/peer-transpose.log"
    ok 'peer-transpose verifies' all_good "$details/peer-transpose.json"
    share=$(value "$details/peer-transpose.json" share_of_all_to_all "$(axis variant overlapped)" "$(axis peer_access true)")
    ok "peer-transpose, overlapped: ${share:-no result} of the all-to-all" holds "${share:-0} >= 0.8"

    if command -v gpulab-plain-nccl >/dev/null; then
        gpulab-plain-nccl >"$details/nccl.jsonl" 2>"$details/nccl.err"
        status=$?
    else
        status=77
        echo 'gpulab-plain-nccl is not in the bundle' >"$details/nccl.err"
    fi
    if [ $status = 77 ]; then
        skip "all-reduce compared with a plain loop: $(tail -n 1 "$details/nccl.err")"
    else
        ok 'the plain loop of NCCL runs' test $status -le 1
        while read -r line; do
            ratio=$(field "$line" ratio)
            ok "all-reduce: $line" holds "${ratio:-0} > 0.97 && ${ratio:-0} < 1.03"
        done <"$details/nccl.jsonl"
    fi
else
    skip "tests with several GPUs: this machine has $gpus"
fi

# --- memory errors and data races -----------------------------------------------------------------------------------------
sanitized() { # TOOL NAME EXPERIMENT [OPTION…]: runs the experiment with its worker under a tool of compute-sanitizer
    local tool=$1 name=$2
    shift 2
    rm -rf "${details:?}/$name"
    mkdir "$details/$name"
    # One worker lists the devices and measures; another one traces, if the experiment has a timeline. Each writes its own log.
    cat >"$work/worker" <<END
#!/bin/sh
exec compute-sanitizer --tool $tool --log-file "$details/$name/\$\$.txt" --error-exitcode 99 "$bundle/bin/gpulab-worker" "\$@"
END
    chmod +x "$work/worker"
    gpulab run "$@" --worker "$work/worker" --no-save --json --set max_samples=1 >"$details/$name.json" 2>"$details/$name.log"
    ok "$1 under compute-sanitizer's $tool succeeds and verifies" all_good "$details/$name.json"
    local workers clean
    workers=$(find "$details/$name" -name '*.txt' | wc -l)
    clean=$(grep -l 'ERROR SUMMARY: 0 errors\|RACECHECK SUMMARY: 0 hazards' "$details/$name"/*.txt | wc -l)
    ok "$tool finds nothing in $1, in $clean of $workers workers" holds "$workers >= 1 && $clean == $workers"
}
if command -v compute-sanitizer >/dev/null; then
    sanitized memcheck memcheck transfer --set min_bytes=64KiB --set max_bytes=1MiB --set factor=4 \
        --set direction=h2d,d2h,d2d --set memory=pageable,pinned,write-combined,mapped --set engine=copy,sm --set opposing=false,true \
        --set pattern=contiguous,pieces,pitched,rows
    if [ "$gpus" -ge 2 ]; then
        sanitized memcheck memcheck-scaling scaling --set bytes=1000000 --set weight=1001 --set time_budget_s=1
        sanitized racecheck racecheck-transpose peer-transpose --set n=1002 --set time_budget_s=1
    fi
    # The first sizes are not multiples of a tile and their rows are not aligned. With the second sizes rows are aligned and the
    # ring buffers wrap around. With the third there are more tiles than persistent blocks.
    steps=naive,coalesced,tiled-8,tiled-16,tiled-32,register-tiles,vectorized,double-buffered,warp-tiled,mma,wgmma,cublas
    quick="--set time_budget_s=60 --set min_time_s=0 --set settle_s=0"
    all_measured() { # FILE: every step was measured in at least one type and layout
        local step
        for step in ${steps//,/ }; do [ -n "$(value "$1" throughput "$(axis step $step)")" ] || return 1; done
    }
    for tool in memcheck racecheck; do
        # shellcheck disable=SC2086 # options
        sanitized $tool $tool-matmul matmul --set step=$steps --set type=fp32,fp64,tf32,bf16,fp16 --set layout=nn,tn \
            --set m=263 --set n=517 --set k=139 $quick
        [ -z "$hopper" ] || ok "matmul under $tool: every step was measured" all_measured "$details/$tool-matmul.json"
        # shellcheck disable=SC2086
        sanitized $tool $tool-matmul-aligned matmul --set step=$steps --set type=fp32,tf32,bf16 --set layout=nn,tn \
            --set m=263 --set n=520 --set k=328 $quick
        # shellcheck disable=SC2086
        sanitized $tool $tool-matmul-tiles matmul --set step=wgmma --set type=bf16 --set layout=nn,tn \
            --set m=2304 --set n=2304 --set k=64 $quick
    done
else
    skip 'compute-sanitizer is not installed'
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
