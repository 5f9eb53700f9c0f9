#!/usr/bin/env bash
# cuBLAS, cuFFT and launches compared with plain programs, each pair in one process. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

# --- libraries: the lab and a plain loop, in one process ------------------------------------------------------------------
compare_library() { # LIBRARY PROGRAM
    local output=$details/$2.jsonl status line ratio
    if ! command -v "$2" >/dev/null; then
        skip "$2 is not in the bundle"
        return
    fi
    "$2" >"$output" 2>"$details/$2.err"
    status=$?
    if [ $status = 77 ]; then
        skip "$1 compared with a plain loop: $(tail -n 1 "$details/$2.err")"
        return
    fi
    ok "the plain loop of $1 runs" test $status -le 1
    while read -r line; do
        ratio=$(field "$line" ratio)
        ok "$1: $line" holds "${ratio:-0} > 1 - $tolerance && ${ratio:-0} < 1 + $tolerance"
    done <"$output"
}
compare_library cuBLAS gpulab-plain-gemm
compare_library cuFFT gpulab-plain-fft

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
