#!/usr/bin/env bash
# Challenges: a solution of each is right, and attempts to cheat get their verdicts: none scores. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

mkdir -p "$details/challenges"
gpulab serve --listen 127.0.0.1:0 --db "$work/challenges.db" >"$work/challenges.log" 2>"$details/challenges.err" &
server=$!
for _ in $(seq 100); do
    address=$(sed -n 's/^listening on //p' "$work/challenges.log")
    [ -z "$address" ] && sleep 0.1 || break
done

closes=$(date -u -d '+1 day' +%Y-%m-%dT%H:%M:%SZ)
submit() { # NAME CHALLENGE FILE [OPTION…]: the run as JSON
    local name=$1 challenge=$2 file=$3
    shift 3
    gpulab challenge submit "$challenge" "$file" "$@" --server "$address" --json >"$details/challenges/$name.json" 2>"$details/challenges/$name.err"
}
verdict() { # NAME: right, wrong, rejected, failed
    local file=$details/challenges/$1.json
    if all_good "$file"; then echo right
    elif grep -q '/problems/wrong-result' "$file"; then echo wrong
    elif grep -q '/problems/compile-failed' "$file"; then echo rejected
    else echo failed; fi
}
score() { medians_of "$details/challenges/$1.json" time | tail -n 1; } # NAME: seconds at the last size

# --- solutions ------------------------------------------------------------------------------------------------------------
for solution in "$here"/gpu/challenges/*.cu; do
    name=$(basename "$solution" .cu)
    gpulab challenge publish "$name" --closes-at "$closes" --server "$address" >/dev/null 2>"$details/challenges/$name.err"
    status=$?
    ok "$name is published $(head -n 1 "$details/challenges/$name.err")" test $status = 0
    eval "set -- $(sed -n '1s,^// ,,p' "$solution")"
    submit "solution-$name" "$name" "$solution" "$@"
    ok "the solution of $name is $(verdict "solution-$name")" test "$(verdict "solution-$name")" = right
done

# --- attempts to cheat ----------------------------------------------------------------------------------------------------
# The first line of a file has the challenge and the verdict; no-gain: right, and not faster than the solution.
for cheat in "$here"/gpu/cheats/*.cu; do
    name=$(basename "$cheat" .cu)
    read -r _ challenge expected <"$cheat"
    submit "$name" "$challenge" "$cheat"
    if [ "$expected" = no-gain ]; then
        ok "$name is $(verdict "$name")" test "$(verdict "$name")" = right
        ok "it takes $(score "$name") s, the solution $(score "solution-$challenge") s" \
            holds "$(score "$name") > 0.97 * $(score "solution-$challenge")"
    else
        ok "$name is $(verdict "$name")" test "$(verdict "$name")" = "$expected"
    fi
done

kill "$server" && wait "$server"
ok 'the server with challenges stops on SIGTERM' test $? = 0
server=
