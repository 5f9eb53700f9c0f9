#!/usr/bin/env bash
# Copies between several GPUs: each pair compared with a plain loop and with the other pairs, both ways, without peer access,
# all GPUs at once, and with the host; peer-transpose. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

# The time budget of a run whose points are pairs: SECONDS for two GPUs, which have one pair.
for_pairs() { echo $(($1 * gpus * (gpus - 1) / 2)); } # SECONDS

peer() { # FILE SECONDS [OPTION…]
    local file=$1 budget=$2
    shift 2
    gpulab run peer --set bytes=$bytes --set engine=copy --set time_budget_s="$budget" --json --no-save "$@" >"$file" 2>>"$details/peer.log"
}

compare_with_plain_loops() {
    local round
    for round in $(seq "$rounds"); do
        gpulab-plain-peer $bytes 5 >"$details/plain-peer.$round.jsonl"
        ok "the plain loop of peer copies, round $round" test $? = 0
        peer "$details/peer.$round.json" "$(for_pairs 1)" --set pattern=pair --set peer_access=true
        ok "peer copies, round $round: verified" all_good "$details/peer.$round.json"
        measurements "$details/peer.$round.json" | grep '"metric" *: *"bandwidth"' >"$work/peer.$round"
    done
    local share
    share=$(largest "$details/peer.1.json" share_of_peak)
    [ -z "$share" ] || ok "a pair reaches $share of the peak of its links" holds "$share > 0.5 && $share <= 1" # not every link's peak is known
    grep -h '"peer_access":true' "$details"/plain-peer.*.jsonl >"$work/plain.peer"
    while read -r line; do
        echo "$(field "$line" source_id) $(field "$line" target_id) $(field "$line" access)"
    done <"$work/plain.peer" | sort -u >"$work/pairs"
}

# Writes a line to $work/bandwidths for each pair: its bandwidth.
check_pair() { # SOURCE TARGET ACCESS NAME
    local plain measured
    plain=$(grep "\"source_id\":\"$1\",\"target_id\":\"$2\",\"access\":\"$3\"" "$work/plain.peer" |
        while read -r line; do field "$line" bandwidth; done | median)
    measured=$(cat "$work"/peer.[0-9]* | grep "$(axis source "$1")" | grep "$(axis target "$2")" | grep "$(axis access "$3")" | medians | median)
    echo "${measured:-0}" >>"$work/bandwidths"
    ok "$4: lab ${measured:-no result}, plain loop ${plain:-no result} GB/s, ratio $(awk "BEGIN { print ${measured:-0} / ${plain:-1} }")" \
        holds "${measured:-0} > ${plain:-1} * (1 - $tolerance) && ${measured:-0} < ${plain:-1} * (1 + $tolerance)"
}

# Whether all numbers on stdin are within the tolerance of their median.
alike() {
    sort -g | awk -v tolerance="$tolerance" '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]; exit !(m > 0 && v[1] >= m * (1 - tolerance) && v[NR] <= m * (1 + tolerance)) }'
}

check_pairs() {
    local source target access of_pair one off both both_ways=0 pairs
    peer "$details/without-access.json" "$(for_pairs 6)" --set pattern=pair --set peer_access=false
    peer "$details/both-ways.json" "$(for_pairs 6)" --set pattern=both-ways --set peer_access=true
    measurements "$details/without-access.json" | grep '"metric" *: *"bandwidth"' >"$work/without-access"
    measurements "$details/both-ways.json" | grep '"metric" *: *"aggregate_bandwidth"' >"$work/both-ways"
    : >"$work/bandwidths"
    while read -r source target access; do
        of_pair="${source:0:8} to ${target:0:8}, $access"
        of() { grep "$(axis source "$source")" "$work/$1" | grep "$(axis target "$target")" | grep "$(axis access "$access")" | medians | head -n 1; }
        check_pair "$source" "$target" "$access" "$of_pair"
        one=$(tail -n 1 "$work/bandwidths") off=$(of without-access) both=$(of both-ways)
        ok "$of_pair: ${off:-no result} GB/s without peer access" holds "0 < ${off:-0} && ${off:-0} < $one / 2"
        [ -z "$both" ] && continue # only one of the two directions has this measurement
        both_ways=$((both_ways + 1))
        ok "$of_pair: $both GB/s both ways, $one GB/s one way" holds "$both >= 1.9 * $one"
    done <"$work/pairs"
    pairs=$(wc -l <"$work/pairs")
    ok "both ways is measured once for each two of the $pairs pairs" test $((2 * both_ways)) = "$pairs"
    ok "the pairs are alike: $(sort -g "$work/bandwidths" | sed -n '1p;$p' | paste -sd- | sed 's/-/ to /') GB/s" alike <"$work/bandwidths"
}

check_all_at_once() {
    local one all
    one=$(median <"$work/bandwidths")
    peer "$details/all-to-all.json" 12 --set pattern=one-to-all,all-to-one,all-to-all --set peer_access=true
    ok 'one-to-all, all-to-one, all-to-all: verified' all_good "$details/all-to-all.json"
    all=$(largest "$details/all-to-all.json" aggregate_bandwidth "$(axis pattern all-to-all)")
    ok "all-to-all: ${all:-no result} GB/s, $gpus times one way $(awk "BEGIN { print $gpus * ${one:-0} }")" holds "${all:-0} >= 0.95 * $gpus * ${one:-1}"
    check_transpose
}

check_transpose() {
    local sequential overlapped direct least
    share_of() { value "$details/peer-transpose.json" share_of_all_to_all "$(axis variant "$1")" "$(axis peer_access true)"; }
    gpulab run peer-transpose --json --no-save >"$details/peer-transpose.json" 2>"$details/peer-transpose.log"
    ok 'peer-transpose verifies' all_good "$details/peer-transpose.json"
    sequential=$(share_of sequential) overlapped=$(share_of overlapped) direct=$(share_of direct)
    # Overlapped transposes and copies share the bandwidth of memory: two H200s (4.9 TB/s) reach 0.925, two H100s (3.4 TB/s) 0.841.
    least=0.9
    holds "$(fact memory_peak_bytes_per_s) < 4.5e12" && least=0.82
    ok "peer-transpose, overlapped: ${overlapped:-no result} of the all-to-all, at least $least, sequential ${sequential:-no result}" \
        holds "${overlapped:-0} >= $least && ${overlapped:-0} > ${sequential:-1}"
    ok "peer-transpose, direct: ${direct:-no result} of the all-to-all" holds "${direct:-0} >= 0.9"
    # Blocks whose rows are not a multiple of a tile: aligned to two words, and not.
    gpulab run peer-transpose --set n=$((1501 * gpus)),$((96 * gpus)) --set chunks=1 --json --no-save \
        >"$details/peer-transpose-odd.json" 2>>"$details/peer-transpose.log"
    ok 'peer-transpose of odd sizes verifies' all_good "$details/peer-transpose-odd.json"
}

# With the host: all GPUs together, and one alone. Each GPU's memory of the host is on its own NUMA node.
check_host() {
    local pattern alone together direction
    peer "$details/host.json" "$((3 * gpus))" --set pattern=host-up,host-down
    ok 'host-up, host-down: verified' all_good "$details/host.json"
    for pattern in host-up host-down; do
        direction=h2d
        [ $pattern = host-up ] || direction=d2h
        gpulab run transfer --set direction=$direction --set memory=pinned --set engine=copy --set min_bytes=$bytes --set max_bytes=$bytes \
            --json --no-save >"$details/$pattern-alone.json" 2>>"$details/peer.log"
        alone=$(value "$details/$pattern-alone.json" bandwidth)
        together=$(value "$details/host.json" aggregate_bandwidth "$(axis pattern $pattern)")
        ok "$pattern: ${together:-no result} GB/s together, one GPU alone ${alone:-no result}, slowest and fastest of all at once $(smallest "$details/host.json" bandwidth "$(axis pattern $pattern)") and $(largest "$details/host.json" bandwidth "$(axis pattern $pattern)")" \
            holds "${together:-0} > 0"
    done
    echo "NUMA nodes of the host's memory: $(measurements "$details/host.json" | grep -o '"numa_node" *: *[0-9a-z]*' | sort | uniq -c | tr -s ' \n' ' ')"
}

if [ "$gpus" -lt 2 ]; then
    skip "copies between GPUs: this machine has $gpus"
else
    compare_with_plain_loops
    if [ -s "$work/pairs" ]; then
        check_pairs
        check_all_at_once
    else
        skip 'peer copies compared with plain loops: these GPUs have no peer access'
    fi
    check_host
fi
