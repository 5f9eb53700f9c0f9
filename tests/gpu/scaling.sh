#!/usr/bin/env bash
# Strong scaling of the kernel pairs, on as many GPUs as there are. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

# The smallest efficiency on 2, 4 and 8 GPUs: the fixed work of each becomes a larger share.
least_efficiency() {
    if [ "$1" -le 2 ]; then echo 0.98; elif [ "$1" -le 4 ]; then echo 0.97; else echo 0.95; fi
}

if [ "$gpus" -lt 2 ]; then
    skip "scaling: this machine has $gpus GPU"
else
    gpulab run scaling --set kernel=pairs --set scaling=strong --set time_budget_s=$((15 * gpus)) --json --no-save >"$details/scaling.json" 2>"$details/scaling.log"
    ok 'scaling verifies' all_good "$details/scaling.json"
    for count in $(seq 2 "$gpus"); do
        efficiency=$(value "$details/scaling.json" efficiency "$(axis device_count "$count")")
        ok "strong scaling of pairs on $count GPUs: efficiency ${efficiency:-no result}" holds "${efficiency:-0} >= $(least_efficiency "$count")"
    done
fi
