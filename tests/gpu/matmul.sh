#!/usr/bin/env bash
# The throughput of the steps of matmul and their results for thin matrices, on Hopper. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

if [ -n "$hopper" ]; then
    gpulab run matmul --set step=tiled-32,register-tiles,vectorized,double-buffered,warp-tiled,mma,wgmma,cublas \
        --set type=fp32,fp64,bf16 --set layout=nn,tn --set min_size=4096 --set max_size=8192 --set time_budget_s=26 --json --no-save \
        >"$details/matmul-large.json" 2>"$details/matmul-large.log"
    ok 'matmul at 4096 and 8192 verifies' all_good "$details/matmul-large.json"
    reaches() { # STEP TYPE LAYOUT SIZE LEAST
        local share
        share=$(value "$details/matmul-large.json" share_of_reference "$(axis step $1)" "$(axis type $2)" "$(axis layout $3)" "$(axis m $4)")
        ok "$1, $2 $3, $4: ${share:-no result} of cuBLAS" holds "${share:-0} >= $5"
    }
    for size in 4096 8192; do
        reaches warp-tiled fp32 nn $size 0.9
        reaches warp-tiled fp32 tn $size 0.9
        reaches mma fp64 nn $size 0.92
        reaches mma fp64 tn $size 0.92
        reaches mma bf16 nn $size 0.5
        reaches mma bf16 tn $size 0.5
    done
    reaches wgmma bf16 tn 8192 0.9
    for ceiling in write:0.94 read:0.87; do
        share=$(value "$details/matmul-large.json" share_of_peak "$(axis variant ${ceiling%:*})")
        ok "memory ceiling, ${ceiling%:*}: ${share:-no result} of the peak" holds "${share:-0} >= ${ceiling#*:}"
    done
    gpulab run matmul --set type=fp32,fp64,tf32,bf16,fp16 --set layout=nn,tn --set m=1,100 --set n=16,4096 --set k=64,65536 \
        --set min_time_s=0 --set settle_s=0 --set time_budget_s=60 --json --no-save \
        >"$details/matmul-thin.json" 2>"$details/matmul-thin.log"
    ok 'matmul of thin and deep matrices verifies' all_good "$details/matmul-thin.json"
    share=$(value "$details/matmul-thin.json" share_of_roof "$(axis step cublas)" "$(axis type fp32)" "$(axis layout nn)" "$(axis m 100)" \
        "$(axis n 4096)" "$(axis k 65536)")
    ok "cuBLAS of 100 x 4096 x 65536 in fp32: ${share:-no result} of its roof" holds "${share:-0} > 0"
    # Large tiles of warp tiling in layout tn: the last band of tiles is not full, with rows that are aligned and not.
    gpulab run matmul --set step=warp-tiled --set type=fp32 --set layout=tn --set m=2200 --set n=4600,4601 --set k=64 \
        --set min_time_s=0 --set settle_s=0 --json --no-save >"$details/matmul-bands.json" 2>"$details/matmul-bands.log"
    ok 'warp tiling in bands of tiles verifies' all_good "$details/matmul-bands.json"
    # The program verifies every shape and division that the kernel of wgmma has, each several times on different edges. In the
    # third and fourth product up to 128 blocks add the sums of a tile; in the last one the blocks of almost all divisions wait
    # for each other.
    divisions() { gpulab-tune-gemm --verify all 513x777x1000 1000x2050x300 3x5x60000 100x100x20000 2048 4096x4096x16384 >"$details/divisions.log" 2>&1; }
    ok 'every shape and division of wgmma, and of mma for fp64, gives the exact product' divisions
    # Large bf16 products bring the device to its power limit, where the energy of an operation is that power by the throughput.
    gpulab run matmul --set step=wgmma,cublas --set type=bf16 --set layout=tn --set min_size=8192 --set max_size=8192 \
        --set load=sustained,burst --set time_budget_s=24 --json --no-save \
        >"$details/matmul-loads.json" 2>"$details/matmul-loads.log"
    ok 'matmul sustained and in bursts verifies' all_good "$details/matmul-loads.json"
    limit=$(nvidia-smi --query-gpu=power.limit --format=csv,noheader,nounits | head -n 1)
    for step in wgmma cublas; do
        of() { value "$details/matmul-loads.json" "$1" "$(axis step $step)" "$(axis load "$2")"; } # METRIC LOAD
        sustained=$(of throughput sustained) burst=$(of throughput burst) energy=$(of energy sustained)
        watts="${energy:-0} * ${sustained:-0} / 1000"
        ok "$step: ${sustained:-no result} GFLOP/s sustained, ${burst:-no result} in bursts" \
            holds "${sustained:-0} > 0 && ${burst:-0} >= 1.05 * ${sustained:-0}"
        ok "$step: ${energy:-no} J/TFLOP sustained, at a limit of $limit W" \
            holds "$watts >= 0.8 * $limit && $watts <= 1.05 * $limit"
        ok "$step: no energy of bursts" test -z "$(of energy burst)"
    done
    # cuBLAS then multiplies fp32 in TF32: the timed product is wrong, and faster than the fp32 cores could be.
    NVIDIA_TF32_OVERRIDE=1 gpulab run matmul --set step=cublas --set type=fp32 --set min_size=4096 --set max_size=4096 \
        --set time_budget_s=4 --json --no-save >"$details/tf32.json" 2>"$details/tf32.log"
    ok 'a product in TF32 instead of fp32 fails' grep -q '"code" *: *"wrong-result"\|problems/wrong-result' "$details/tf32.json"
    ok 'a product in TF32 instead of fp32 exceeds the peak, with a warning' grep -q 'times its peak (fp32 cores)' "$details/tf32.json"
    below=0
    for step in tiled-32 register-tiles vectorized double-buffered warp-tiled; do
        reached=$(value "$details/matmul-large.json" throughput "$(axis step $step)" "$(axis type fp32)" "$(axis layout nn)" "$(axis m 4096)")
        ok "$step at 4096: ${reached:-no result} GFLOP/s, not slower than the step before" holds "${reached:-0} >= $below"
        below=${reached:-0}
    done
fi
