#!/usr/bin/env bash
# Every experiment with --quick, in one command: each must verify its results. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

gpulab run all --quick --no-save --json >"$details/all.json" 2>"$details/all.log"
status=$?
ok "run all --quick, $(grep -o '"verdict" *: *"[^"]*"' "$details/all.json" | cut -d '"' -f 4)" test $status = 0

# One file for each run, which begins with its id and revision.
tr -d '\n' <"$details/all.json" | sed 's/"id" *: *"[^"]*", *"revision"/\n&/g' | grep '^"id"' >"$work/runs"
while read -r run; do
    experiment=$(grep -o '"experiment" *: *"[^"]*"' <<<"$run" | head -n 1 | cut -d '"' -f 4)
    echo "$run" >"$details/$experiment.json"
done <"$work/runs"

left_out=0
for experiment in $(gpulab experiments | awk 'NR > 1 && /^[a-z]/ { print $1 }'); do
    if [ ! -f "$details/$experiment.json" ]; then
        skip "$experiment --quick was left out"
        left_out=$((left_out + 1))
        continue
    fi
    # Without NCCL, or without MPI where the bundle was built, these two have nothing to measure.
    if [[ $experiment = @(collectives|mpi) ]] && grep -q '"/problems/no-result"' "$details/$experiment.json"; then
        skip "$experiment: $(grep -o '"detail" *: *"[^"]*"' "$details/$experiment.json" | head -n 1)"
    else
        ok "run $experiment --quick succeeds" succeeded "$details/$experiment.json"
        ok "run $experiment --quick: every point verified" verified "$details/$experiment.json"
    fi
done
ok "run all --quick leaves out only what needs more devices" grep -q "experiments left out: $left_out, " "$details/all.json"
