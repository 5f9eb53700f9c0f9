#!/usr/bin/env bash
# All-reduces on all GPUs compared with a plain loop of NCCL calls. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

if command -v gpulab-plain-nccl >/dev/null; then
    gpulab-plain-nccl >"$details/nccl.jsonl" 2>"$details/nccl.err"
    status=$?
else
    status=77
    echo 'gpulab-plain-nccl is not in the bundle' >"$details/nccl.err"
fi
if [ $status = 77 ]; then
    skip "all-reduces compared with a plain loop: $(tail -n 1 "$details/nccl.err")"
else
    ok 'the plain loop of NCCL runs' test $status -le 1
    while read -r line; do
        ratio=$(field "$line" ratio)
        ok "all-reduce: $line" holds "${ratio:-0} > 0.97 && ${ratio:-0} < 1.03"
    done <"$details/nccl.jsonl"
fi
