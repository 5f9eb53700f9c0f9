#!/usr/bin/env bash
# Several GPUs: peer copies and all-reduce compared with plain loops; scaling; transpose; two processes
# compared with one (two-machines.sh). A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

peer() { # FILE [OPTION…]
    local file=$1
    shift
    gpulab run peer --set bytes=$bytes --set engine=copy --json --no-save "$@" >"$file" 2>>"$details/peer.log"
}
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
# shellcheck source=two-machines.sh
. "$here/gpu/two-machines.sh"
