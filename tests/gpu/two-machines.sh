#!/usr/bin/env bash
# A run of collectives in two processes, which stand for two machines. With two GPUs each has one, and its all-reduces are
# no slower than those of one process on both. With one GPU both use it, NCCL takes them for two hosts, and only the results
# are checked. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

all_reduce() { # FILE [OPTION…]
    local file=$1
    shift
    gpulab run collectives --device 0 --device 1 --set operation=all-reduce --set in_place=true --set min_bytes=1048576 \
        --set max_bytes="$bytes" --set factor=16 --json --no-save "$@" >"$file" 2>>"$details/two-machines.log"
}

# Writes the workers of two machines with one GPU each.
write_workers() {
    local gpu
    for gpu in 0 1; do
        printf '#!/bin/sh\nCUDA_VISIBLE_DEVICES=%s exec "%s" "$@"\n' $gpu "$bundle/bin/gpulab-worker" >"$1/worker-$gpu"
    done
}

# Writes the workers of two machines that are the same GPU: the second one gives it another id.
write_workers_of_one_gpu() {
    local worker=$bundle/bin/gpulab-worker
    cat >"$1/worker-0" <<END
#!/bin/bash
NCCL_HOSTID=here NCCL_SOCKET_IFNAME=lo exec "$worker" "\$@"
END
    cat >"$1/worker-1" <<END
#!/bin/bash
mkdir -p "$1/locks"
sed -u 's/"GPU-there-/"GPU-/g' | NCCL_HOSTID=there NCCL_SOCKET_IFNAME=lo "$worker" "\$@" --lock-dir "$1/locks" | sed -u 's/"GPU-/"GPU-there-/g'
END
}

# Starts a lab of two machines, `here` and `there`, which is reached by a stand-in for ssh; sets `server` and `address`.
serve_two_machines() {
    local folder=$work/two-machines
    mkdir "$folder"
    if [ "$gpus" -ge 2 ]; then write_workers "$folder"; else write_workers_of_one_gpu "$folder"; fi
    cat >"$folder/ssh" <<'END'
#!/bin/bash
[[ " $* " == *" -O "* || " $* " == *" -N "* ]] && exit 0
exec bash -c "${@: -1}"
END
    chmod +x "$folder"/*
    printf 'local name=here\nssh there worker=%s/worker-1\n' "$folder" >"$folder/nodes"
    PATH=$folder:$PATH gpulab serve --listen 127.0.0.1:0 --db "$folder/lab.db" --nodes "$folder/nodes" --worker "$folder/worker-0" \
        >"$folder/serve.log" 2>"$details/two-machines.err" &
    server=$!
    for _ in $(seq 300); do
        address=$(sed -n 's/^listening on //p' "$folder/serve.log")
        [ -n "$address" ] && [ "$(gpulab nodes --server "$address" | grep -c ' idle')" = 2 ] && return
        sleep 0.1
    done
    return 1
}

if ! serve_two_machines; then
    ok 'a lab of two machines starts' false
elif [ "$gpus" -ge 2 ]; then
    for round in $(seq "$rounds"); do
        all_reduce "$details/one-process.$round.json"
        ok "all-reduces of one process, round $round: verified" all_good "$details/one-process.$round.json"
        all_reduce "$details/two-processes.$round.json" --server "$address"
        ok "all-reduces of two processes, round $round: verified" all_good "$details/two-processes.$round.json"
        ok "round $round ran in two processes" grep -q 'on 2 devices of 2 processes' "$details/two-processes.$round.json"
    done
    for size in 1048576 16777216 $bytes; do
        for way in one-process two-processes; do
            for round in $(seq "$rounds"); do value "$details/$way.$round.json" time "$(axis bytes "$size")"; done | median >"$work/$way"
        done
        one=$(cat "$work/one-process") two=$(cat "$work/two-processes")
        ok "all-reduce of $((size / 1048576)) MiB: two processes ${two:-no result} s, one process ${one:-no result} s, ratio $(awk "BEGIN { print ${two:-0} / ${one:-1} }")" \
            holds "0 < ${two:-0} && ${two:-0} < ${one:-0} * 1.03"
    done
else
    gpulab run collectives --device 0 --device 1 --set in_place=true,false --set min_bytes=65536 --set max_bytes=1048576 \
        --set max_samples=5 --set time_budget_s=60 --server "$address" --json --no-save >"$details/two-processes.json" 2>>"$details/two-machines.log"
    ok 'collectives of two processes on one GPU verify' all_good "$details/two-processes.json"
    ok 'they ran in two processes' grep -q 'on 2 devices of 2 processes' "$details/two-processes.json"
    skip "their times: this machine has one GPU, and it takes two"
fi
if [ -n "$server" ]; then
    kill "$server"
    wait "$server"
    server=
fi
