#!/usr/bin/env bash
# Strong scaling of the kernel pairs, on as many GPUs as there are, and a job of MPI ranks with several GPUs each. A part of gpu.sh.
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
    if command -v mpirun >/dev/null; then
        # Two ranks use all GPUs together, or each of them all: the same GPUs, and so the same time.
        gpulab run mpi --set operation=job --set ranks=2 --set rank_devices=$((gpus / 2)),"$gpus" --set weight=4096 --set min_bytes=256MiB \
            --set max_bytes=256MiB --json --no-save >"$details/mpi-job.json" 2>"$details/mpi-job.log"
        ok 'a job of 2 ranks with several GPUs each verifies' all_good "$details/mpi-job.json"
        divided=$(value "$details/mpi-job.json" time "$(axis rank_devices $((gpus / 2)))") shared=$(value "$details/mpi-job.json" time "$(axis rank_devices "$gpus")")
        ok "2 ranks that share $gpus GPUs: $shared s, that divide them: $divided s" holds "${divided:-0} > 0 && ${shared:-0} < 1.15 * ${divided:-0}"
    else
        skip 'a job of MPI ranks: mpirun is not installed'
    fi
fi
