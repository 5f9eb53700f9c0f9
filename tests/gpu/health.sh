#!/usr/bin/env bash
# gpulab health: one GPU in less than 5 s, every device, and a verdict that later runs repeat; on several GPUs, which are checked
# at the same time, the values that each has alone. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

check() { # NAME [OPTION…]: writes $details/health-NAME.txt; sets seconds
    local began name=$1
    shift
    began=$(date +%s.%N)
    gpulab health --db "$work/health.db" "$@" >"$details/health-$name.txt" 2>&1
    local code=$?
    seconds=$(date +%s.%N | awk -v began="$began" '{ printf "%.1f", $1 - began }')
    cat "$details/health-$name.txt"
    return $code
}

# From the sixth run on, there is a history.
for round in 1 2 3 4 5 6; do
    ok "health --quick, round $round" check "quick-$round" --quick --device 0
    ok "it took $seconds s" holds "$seconds < 5"
done
ok 'the sixth run has a history' test "$(grep -c 'without history' "$details/health-quick-6.txt")" = 0
ok "health of $gpus GPUs" check all
echo "it took $seconds s"

run_health() { # NAME DEVICE…: writes $details/health-run-NAME.json; without a device, of all
    local devices=() device began=$EPOCHREALTIME file=$details/health-run-$1.json
    for device in "${@:2}"; do devices+=(--device "$device"); done
    gpulab run health "${devices[@]}" --json --no-save >"$file" 2>>"$details/health.log"
    ok "health, $1, verifies" all_good "$file"
    echo "it took $(awk "BEGIN { print $EPOCHREALTIME - $began }") s"
}

compare_with_alone() { # DEVICE: memory and product of this device, alone and while all others are checked
    local check metric id alone together
    run_health "alone-$1" "$1"
    id=$(grep -o '"device" *: *"[^"]*' "$details/health-run-alone-$1.json" | head -n 1 | grep -o '[^"]*$')
    for check in memory gemm; do
        metric=bandwidth
        [ $check = memory ] || metric=throughput
        alone=$(value "$details/health-run-alone-$1.json" $metric "$(axis check $check)")
        together=$(value "$details/health-run-all.json" $metric "$(axis check $check)" "$(axis device "$id")")
        ok "$check of GPU $1: ${together:-no result} beside others, ${alone:-no result} alone" \
            holds "${together:-0} > ${alone:-1} * (1 - $tolerance) && ${together:-0} < ${alone:-1} * (1 + $tolerance)"
    done
}

if [ "$gpus" -gt 1 ]; then
    [ "$gpus" -le 2 ] || run_health two 0 1
    run_health all
    for device in $(seq 0 $((gpus - 1))); do compare_with_alone "$device"; done
fi

ok 'health --thorough' check thorough --thorough
echo "it took $seconds s"
gpulab show latest --db "$work/health.db" >"$details/health-thorough-run.txt" 2>&1
