#!/usr/bin/env bash
# gpulab health: one GPU in less than 5 s, every device, and a verdict that later runs repeat. A part of gpu.sh.
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
ok 'health --thorough' check thorough --thorough
echo "it took $seconds s"
gpulab show latest --db "$work/health.db" >"$details/health-thorough-run.txt" 2>&1
