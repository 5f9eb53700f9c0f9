#!/usr/bin/env bash
# Tests what needs a GPU, on a machine that has one and may have neither internet nor compilers:
#
#   tests/gpu.sh BUNDLE       BUNDLE is what `cmake --build --preset gpu --target bundle` made (there it is ./gpu.sh .)
#
# Each experiment runs in its quick form and must verify; pinned copies are held against plain loops that share no code with
# the lab, round by round, so that both see the same machine; the same goes through a server over HTTP; cuBLAS through the
# lab is held against a plain loop of it; afterwards nothing of the lab may be left on the GPU. Ends with one line
# `N passed, N failed`. Details go to $OUT where that is set.
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
measured() { grep -q '"median" *: *[0-9]' "$1"; } # anything
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

# --- cuBLAS through the lab against a plain loop, in one process ----------------------------------------------------------
if command -v gpulab-plain-gemm >/dev/null; then
    gpulab-plain-gemm >"$details/gemm.jsonl" 2>"$details/gemm.err"
    status=$?
    if [ $status = 77 ]; then
        skip "cuBLAS against a plain loop: $(tail -n 1 "$details/gemm.err")"
    else
        ok 'the plain loop of cuBLAS runs' test $status -le 1
        while read -r line; do
            ratio=$(grep -o '"ratio":[0-9.]*' <<<"$line" | cut -d: -f2)
            ok "cuBLAS: $line" holds "${ratio:-0} > 1 - $tolerance && ${ratio:-0} < 1 + $tolerance"
        done <"$details/gemm.jsonl"
    fi
else
    skip 'gpulab-plain-gemm is not here'
fi

# --- how far the ladder of matmul reaches, on Hopper ----------------------------------------------------------------------
value() { # FILE METRIC PATTERN…: the first median of the metric whose line matches all patterns
    local lines pattern metric=$2
    lines=$(measurements "$1" | grep "\"metric\" *: *\"$metric\"")
    shift 2
    for pattern in "$@"; do lines=$(grep "$pattern" <<<"$lines"); done
    head -n 1 <<<"$lines" | grep -o '"median" *: *[0-9.eE+-]*' | grep -o '[0-9.eE+-]*$'
}
axis() { echo "\"$1\" *: *\"\?$2\"\?[ ,}]"; } # NAME VALUE, as a pattern
field() { grep -o "\"$2\":\"\?[^,}\"]*" <<<"$1" | sed 's/.*:"\?//'; } # LINE NAME, of one of the plain programs

hopper=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | grep '^9\.0')
if [ -n "$hopper" ]; then
    gpulab run matmul --set step=tiled-32,register-tiles,vectorized,double-buffered,warp-tiled,mma,wgmma,cublas \
        --set type=fp32,bf16 --set layout=nn,tn --set min_size=4096 --set max_size=8192 --set time_budget_s=20 --json --no-save \
        >"$details/matmul-large.json" 2>"$details/matmul-large.log"
    ok 'matmul at 4096 and 8192 verifies' all_good "$details/matmul-large.json"
    reaches() { # STEP TYPE LAYOUT SIZE LEAST
        local share
        share=$(value "$details/matmul-large.json" share_of_reference "$(axis step $1)" "$(axis type $2)" "$(axis layout $3)" "$(axis m $4)")
        ok "$1, $2 $3, $4: ${share:-nothing} of cuBLAS" holds "${share:-0} >= $5"
    }
    for size in 4096 8192; do
        reaches warp-tiled fp32 nn $size 0.9
        reaches mma bf16 nn $size 0.5
        reaches mma bf16 tn $size 0.5
    done
    reaches wgmma bf16 tn 8192 0.9
    below=0
    for step in tiled-32 register-tiles vectorized double-buffered warp-tiled; do
        reached=$(value "$details/matmul-large.json" throughput "$(axis step $step)" "$(axis type fp32)" "$(axis layout nn)" "$(axis m 4096)")
        ok "$step at 4096: ${reached:-nothing} GFLOP/s, not below the step before" holds "${reached:-0} >= $below"
        below=${reached:-0}
    done
fi

# --- several GPUs: peer copies and all-reduce against plain loops, what scaling and a transpose reach ------------------------
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
        ok "$of_pair: lab ${measured:-nothing}, plain loop ${plain:-nothing} GB/s, ratio $(awk "BEGIN { print ${measured:-0} / ${plain:-1} }")" \
            holds "${measured:-0} > ${plain:-1} * (1 - $tolerance) && ${measured:-0} < ${plain:-1} * (1 + $tolerance)"

        way() { value "$details/ways.json" "$1" "$(axis source "$source")" "$(axis target "$target")" "$(axis access $access)" "$(axis peer_access $2)"; }
        one=$(way bandwidth true) both=$(way aggregate_bandwidth true) off=$(way bandwidth false)
        ok "$of_pair: ${off:-nothing} GB/s without peer access" holds "0 < ${off:-0} && ${off:-0} < ${one:-0} / 2"
        [ -z "$both" ] || both_ways=$((both_ways + 1)) # measured from one end
        [ -z "$both" ] || ok "$of_pair: both ways $both of ${one:-nothing} GB/s one way" holds "$both >= 1.9 * ${one:-1}"
    done <"$work/pairs"
    pairs=$(wc -l <"$work/pairs")
    if [ "$pairs" = 0 ]; then
        skip 'peer copies against plain loops: these GPUs do not reach one another'
    else
        ok "both ways measured once for each two of $pairs" test $((2 * both_ways)) = "$pairs"
    fi

    gpulab run scaling --set kernel=pairs --set scaling=strong --json --no-save >"$details/scaling.json" 2>"$details/scaling.log"
    ok 'scaling verifies' all_good "$details/scaling.json"
    efficiency=$(value "$details/scaling.json" efficiency "$(axis device_count 2)")
    ok "strong scaling of pairs on 2 GPUs: efficiency ${efficiency:-nothing}" holds "${efficiency:-0} >= 0.98"
    if [ "$gpus" -ge 4 ]; then
        efficiency=$(value "$details/scaling.json" efficiency "$(axis device_count 4)")
        ok "strong scaling of pairs on 4 GPUs: efficiency ${efficiency:-nothing}" holds "${efficiency:-0} >= 0.95"
    fi
    gpulab run peer-transpose --json --no-save >"$details/peer-transpose.json" 2>"$details/peer-transpose.log"
    ok 'peer-transpose verifies' all_good "$details/peer-transpose.json"
    share=$(value "$details/peer-transpose.json" share_of_all_to_all "$(axis variant overlapped)" "$(axis peer_access true)")
    ok "peer-transpose, overlapped: ${share:-nothing} of the all-to-all" holds "${share:-0} >= 0.8"

    if command -v gpulab-plain-nccl >/dev/null; then
        gpulab-plain-nccl >"$details/nccl.jsonl" 2>"$details/nccl.err"
        status=$?
    else
        status=77
        echo 'gpulab-plain-nccl is not here' >"$details/nccl.err"
    fi
    if [ $status = 77 ]; then
        skip "all-reduce against a bare loop: $(tail -n 1 "$details/nccl.err")"
    else
        ok 'the bare loop of NCCL runs' test $status -le 1
        while read -r line; do
            ratio=$(field "$line" ratio)
            ok "all-reduce: $line" holds "${ratio:-0} > 0.95 && ${ratio:-0} < 1.05"
        done <"$details/nccl.jsonl"
    fi
else
    skip "what needs several GPUs: there is $gpus"
fi

# --- memory errors and races ----------------------------------------------------------------------------------------------
sanitized() { # TOOL NAME EXPERIMENT [OPTION…]: runs it with a worker under that tool of compute-sanitizer
    local tool=$1 name=$2
    shift 2
    rm -rf "${details:?}/$name"
    mkdir "$details/$name"
    # One that lists the devices, one that measures, and where there is a timeline one that traces: each has a log of its own.
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
    ok "$tool finds nothing in $1, in $clean of $workers workers" holds "$workers >= 2 && $clean == $workers"
}
if command -v compute-sanitizer >/dev/null; then
    sanitized memcheck memcheck transfer --set min_bytes=64KiB --set max_bytes=1MiB --set factor=4 \
        --set direction=h2d,d2h,d2d --set memory=pageable,pinned,write-combined,mapped --set engine=copy,sm --set opposing=false,true \
        --set pattern=contiguous,pieces,pitched,rows
    if [ "$gpus" -ge 2 ]; then
        sanitized memcheck memcheck-scaling scaling --set bytes=1000000 --set weight=1001 --set time_budget_s=1
        sanitized racecheck racecheck-transpose peer-transpose --set n=1002 --set time_budget_s=1
    fi
    # First no tile divides the sizes and no row is aligned; then rows are, and the rings of slots go round; then there are more
    # tiles than blocks that stay.
    steps=naive,coalesced,tiled-8,tiled-16,tiled-32,register-tiles,vectorized,double-buffered,warp-tiled,mma,wgmma,cublas
    quick="--set time_budget_s=60 --set sample_s=0 --set settle_s=0"
    all_measured() { # FILE: every step, in at least one type and layout
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
    skip 'compute-sanitizer is not here'
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
