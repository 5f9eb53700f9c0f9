#!/usr/bin/env bash
# A server over HTTP. Pinned copies are as fast as those of a plain loop and of the lab without a server; no process or
# memory of the lab remains on the GPU after the worker's idle time; the first result comes soon. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

# --- pinned copies: a plain loop, the lab, and the lab through its server, in turns ---------------------------------------
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
        line="$direction, 256 MiB, pinned: $way ${measured:-no result}, plain loop ${plain:-no result} GB/s"
        ok "$line, ratio $(awk "BEGIN { print ${measured:-0} / ${plain:-1} }")" \
            holds "${measured:-0} > ${plain:-1} * (1 - $tolerance) && ${measured:-0} < ${plain:-1} * (1 + $tolerance)"
    done
done | tee "$details/ratios.txt"
# The loop above ran in a subshell, whose counts are lost: count its output.
passed=$((passed + $(grep -c '^ok' "$details/ratios.txt"))) failed=$((failed + $(grep -c '^FAILED' "$details/ratios.txt")))
ok 'every round verified' all_good "$details"/lab.*.json "$details"/http.*.json

# --- nothing of the lab remains on the GPU --------------------------------------------------------------------------------
sleep 2 # the idle time and one second more
if [ "$warm_processes" -gt "$base_processes" ]; then
    ok "no process left on the GPU 1 s after the worker's idle time ($base_processes before, $warm_processes warm, $(processes) now)" \
        test "$(processes)" -le "$base_processes"
elif [ "$warm_mebibytes" -gt $((base_mebibytes + 50)) ]; then
    # In a container the list of processes is empty, but the memory of a context can be seen.
    ok "no context left on the GPU 1 s after the worker's idle time ($base_mebibytes MiB before, $warm_mebibytes warm, $(used_mebibytes) now)" \
        test "$(used_mebibytes)" -le $((base_mebibytes + 20))
else
    ok 'a warm worker can be seen on the GPU (otherwise this test shows nothing)' false
fi
ok 'the server has no worker process' test -z "$(cat /proc/"$server"/task/*/children 2>/dev/null)"

# --- time from the POST to the first measurement --------------------------------------------------------------------------
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
cold=$(first_measurement) # no worker is running: checked above
warm=$(for _ in 1 2 3 4 5; do first_measurement; done | median)
ok "POST to first measurement: ${cold:-no result} s without a worker" holds "0 < ${cold:-0} && ${cold:-0} < 0.5"
ok "POST to first measurement: ${warm:-no result} s with a warm worker" holds "0 < ${warm:-0} && ${warm:-0} < ${cold:-0}"

transfer "$details/pageable.json" pageable,pinned --server "$address"
for direction in h2d d2h; do
    pageable=$(median_of "$details/pageable.json" $direction pageable) pinned=$(median_of "$details/pageable.json" $direction pinned)
    ok "$direction: pageable ${pageable:-no result} below pinned ${pinned:-no result} GB/s" holds "0 < ${pageable:-0} && ${pageable:-0} < ${pinned:-0}"
done

kill "$server" && wait "$server"
ok 'the server stops on SIGTERM' test $? = 0
server=
