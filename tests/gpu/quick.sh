#!/usr/bin/env bash
# Every experiment with --quick: each must verify its results. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

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
