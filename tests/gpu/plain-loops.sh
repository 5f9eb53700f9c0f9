#!/usr/bin/env bash
# cuBLAS and launches compared with plain programs, each pair in one process. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

# --- cuBLAS: the lab and a plain loop, in one process ---------------------------------------------------------------------
if command -v gpulab-plain-gemm >/dev/null; then
    gpulab-plain-gemm >"$details/gemm.jsonl" 2>"$details/gemm.err"
    status=$?
    if [ $status = 77 ]; then
        skip "cuBLAS compared with a plain loop: $(tail -n 1 "$details/gemm.err")"
    else
        ok 'the plain loop of cuBLAS runs' test $status -le 1
        while read -r line; do
            ratio=$(grep -o '"ratio":[0-9.]*' <<<"$line" | cut -d: -f2)
            ok "cuBLAS: $line" holds "${ratio:-0} > 1 - $tolerance && ${ratio:-0} < 1 + $tolerance"
        done <"$details/gemm.jsonl"
    fi
else
    skip 'gpulab-plain-gemm is not in the bundle'
fi

# --- the module table: launches compared with <<<>>>, and strides with a plain gather --------------------------------------
if command -v gpulab-plain-launch >/dev/null; then
    gpulab-plain-launch >"$details/launch.jsonl" 2>"$details/launch.err"
    ok 'the plain launches run' test $? = 0
    gpulab run coalescing --set bytes=$bytes --set access=read --set pattern=strided --set stride=1,2,4,8,16,32 --json --no-save \
        >"$details/coalescing-strides.json" 2>"$details/coalescing-strides.log"
    ok 'coalescing verifies' all_good "$details/coalescing-strides.json"
    while read -r line; do
        ratio=$(field "$line" ratio) stride=$(field "$line" stride)
        ok "module table: $line" holds "${ratio:-0} > 0.95 && ${ratio:-0} < 1.05"
        [ "$stride" != 0 ] || continue
        measured=$(value "$details/coalescing-strides.json" bandwidth "$(axis stride "$stride")")
        plain=$(field "$line" plain_gbs)
        # The plain gather computes a remainder for each element, which costs up to a tenth where memory is not the limit.
        ok "coalescing, stride $stride: ${measured:-no result}, plain gather ${plain:-no result} GB/s" \
            holds "${measured:-0} > ${plain:-1} * 0.95 && ${measured:-0} < ${plain:-1} * ($stride < 4 ? 1.15 : 1.05)"
    done <"$details/launch.jsonl"
else
    skip 'gpulab-plain-launch is not in the bundle'
fi
