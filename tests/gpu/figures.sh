#!/usr/bin/env bash
# What the benchmarks of one GPU must measure: relations that hold on any GPU, and figures of Hopper. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

run_figures() { # EXPERIMENT [OPTION…]: runs it; $figures is its result
    local experiment=$1
    shift
    figures=$details/figures-$experiment.json
    gpulab run "$experiment" "$@" --json --no-save >"$figures" 2>"$details/figures-$experiment.log"
    ok "figures: $experiment verifies" all_good "$figures"
}
at_least() { # WHAT VALUE LEAST: LEAST is an expression
    ok "$1: ${2:-no result}, at least $3" holds "${2:-0} >= $3"
}
between() { # WHAT VALUE LEAST MOST
    ok "$1: ${2:-no result}, between $3 and $4" holds "${2:-0} >= $3 && ${2:-0} <= $4"
}
ratio() { # A B
    awk "BEGIN { if (${2:-0} > 0) print ${1:-0} / ${2:-1} }"
}

# --- bandwidth of memory --------------------------------------------------------------------------------------------------
run_figures reduction --set step=grid-stride,one-pass,cooperative,library --set min_bytes=1GiB --set max_bytes=1GiB --set time_budget_s=2
at_least 'reduction, 1 GiB: the best step as a share of the library' "$(largest "$figures" share_of_reference)" 0.99
if [ -n "$hopper" ]; then
    reduction=$(largest "$figures" bandwidth "$(axis step '\(grid-stride\|one-pass\|cooperative\)')")

    run_figures transfer --set direction=d2d --set engine=copy --set min_bytes=4GiB --set max_bytes=4GiB --set time_budget_s=2
    engine=$(value "$figures" bandwidth "$(axis direction d2d)")
    run_figures stream --set variant=read,write,copy,triad --set min_bytes=1GiB --set max_bytes=4GiB --set time_budget_s=4
    stream() { value "$figures" "$1" "$(axis variant "$2")" "$(axis bytes "$3")"; } # METRIC VARIANT BYTES
    # An H100 reaches 0.98, 0.93 and 0.92 of its peak of 3352 GB/s; the bounds are 4500, 4240 and 3970 of the 4917 GB/s of an H200.
    at_least 'stream, 4 GiB, write as a share of the peak' "$(stream share_of_peak write 4294967296)" 0.9153
    at_least 'stream, 4 GiB, read as a share of the peak' "$(stream share_of_peak read 4294967296)" 0.8624
    at_least 'stream, 4 GiB, triad as a share of the peak' "$(stream share_of_peak triad 4294967296)" 0.8075
    at_least 'stream, 4 GiB, copy as a share of the copy engine' "$(ratio "$(stream bandwidth copy 4294967296)" "$engine")" 0.97
    at_least 'reduction, 1 GiB: the best step as a share of stream, read' "$(ratio "$reduction" "$(stream bandwidth read 1073741824)")" 0.95

    run_figures transpose --set step=copy,padded,diagonal,vectorized --set m=8192 --set time_budget_s=2
    at_least 'transpose, 8192 x 8192: the best step as a share of the copy' "$(largest "$figures" share_of_reference)" 0.95
    # An H200 reaches 0.81 of its peak, an H100 0.85.
    reached=$(largest "$figures" share_of_peak "$(axis step '\(padded\|diagonal\|vectorized\)')")
    at_least 'transpose, 8192 x 8192: the best step as a share of the peak' "$reached" 0.79
fi

# --- random samples ---------------------------------------------------------------------------------------------------------
run_figures monte-carlo --set problem=pi,call --set type=fp32,fp64 --set step=one-pass,library --set min_n=1073741824 --set max_n=1073741824 \
    --set time_budget_s=8
at_least 'monte-carlo, 2^30 samples: the least share of cuRAND' "$(smallest "$figures" share_of_reference "$(axis step one-pass)")" 1
run_figures monte-carlo --set problem=uniform --set min_n=1073741824 --set max_n=1073741824 --set time_budget_s=1
for statistic in deviation variance_deviation correlation_deviation chi_square_deviation; do
    between "random numbers, $statistic" "$(value "$figures" "$statistic")" 0 4
done
near=0
for seed in $(seq 20); do
    run_figures monte-carlo --set problem=pi --set step=one-pass --set min_n=268435456 --set max_n=268435456 --set seed="$seed" --set time_budget_s=1
    holds "$(value "$figures" deviation) <= 3" && near=$((near + 1))
done
ok "pi is within 3 standard errors for $near of 20 seeds" test "$near" = 20

# --- Fourier transforms ---------------------------------------------------------------------------------------------------
run_figures fft --set n=256,512,1024,2048,4096 --set step=radix-2,radix-8,stockham,library --set time_budget_s=8
if [ -n "$(value "$figures" share_of_reference "$(axis step stockham)")" ]; then
    for n in 256 512 1024 2048 4096; do
        at_least "fft, n = $n: stockham as a share of cuFFT" \
            "$(value "$figures" share_of_reference "$(axis step stockham)" "$(axis n $n)")" 0.8
    done
else
    skip 'fft compared with cuFFT: it is not installed'
fi

# --- latency --------------------------------------------------------------------------------------------------------------
run_figures memory-hierarchy --set variant=chase --set min_working_set=32KiB --set max_working_set=512MiB --set factor=4 \
    --set time_budget_s=3
latency() { value "$figures" latency_cycles "$(axis working_set "$1")"; } # BYTES: cycles
# The L1 cache of every GPU holds 32 KiB, its L2 cache 512 KiB, and neither 512 MiB.
l1=$(latency 32768) l2=$(latency 524288) memory=$(latency 536870912)
ok "latency rises: L1 ${l1:-no result}, L2 ${l2:-no result}, memory ${memory:-no result} cycles" \
    holds "0 < ${l1:-0} && 1.2 * ${l1:-0} < ${l2:-0} && 1.2 * ${l2:-0} < ${memory:-0}"
if [ -n "$hopper" ]; then
    between 'latency of L1 (32 KiB), cycles' "$l1" 30 35
    # The way to L2 depends on which multiprocessors a card has: an H200 has 280 cycles, H100s 276 and 284.
    between 'latency of the near partition of L2 (8 MiB), cycles' "$(latency 8388608)" 270 295
    between 'latency of memory (128 MiB), cycles' "$(latency 134217728)" 640 691
    run_figures memory-hierarchy --set variant=chase --set min_working_set=40MiB --set max_working_set=40MiB --set time_budget_s=1
    between 'latency of both partitions of L2 (40 MiB), cycles' "$(latency 41943040)" 440 540
fi

# --- predictions ----------------------------------------------------------------------------------------------------------
run_figures bank-conflicts --set variant=load --set time_budget_s=7
# This metric is the ratio of the measured to the predicted cycles of a request.
between 'bank-conflicts, loads: the least cycles per predicted wavefront' "$(smallest "$figures" cycles_per_wavefront)" 0.95 1.05
between 'bank-conflicts, loads: the most cycles per predicted wavefront' "$(largest "$figures" cycles_per_wavefront)" 0.95 1.05

run_figures divergence --set variant=branches --set pattern=by-lane --set time_budget_s=2
for paths in 2 4 8 16 32; do
    share=$(ratio "$(value "$figures" time "$(axis paths $paths)")" "$(value "$figures" time "$(axis paths 1)")")
    between "divergence, $paths paths: time as a multiple of that of one path" "$share" "0.9 * $paths" "1.1 * $paths"
done

run_figures occupancy-ilp --set variant=fma --set time_budget_s=6
share=$(ratio "$(value "$figures" saturated_in_flight)" "$(value "$figures" needed_in_flight)")
between 'occupancy-ilp, fma: operations in flight that saturate, measured / predicted' "$share" 0.75 1.25
