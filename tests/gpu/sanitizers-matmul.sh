#!/usr/bin/env bash
# Memory errors and data races in matmul, found by compute-sanitizer. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

command -v compute-sanitizer >/dev/null || { skip 'compute-sanitizer is not installed' && return; }

# The first sizes are not multiples of a tile and their rows are not aligned. With the second sizes rows are aligned and the
# ring buffers wrap around. With the third there are more tiles than persistent blocks, and the blocks of fp64 have three
# consumers. With the fourth wgmma divides the few tiles along k. With the fifth its blocks wait for each other.
steps=naive,coalesced,tiled-8,tiled-16,tiled-32,register-tiles,vectorized,double-buffered,warp-tiled,mma,wgmma,cublas
quick="--set time_budget_s=60 --set min_time_s=0 --set settle_s=0"
all_measured() { # FILE: every step was measured in at least one type and layout
    local step
    for step in ${steps//,/ }; do [ -n "$(value "$1" throughput "$(axis step $step)")" ] || return 1; done
}
for tool in memcheck racecheck; do
    # shellcheck disable=SC2086 # options
    sanitized $tool $tool-matmul matmul --set step=$steps --set type=fp32,fp64,tf32,bf16,fp16,fp8 --set layout=nn,tn \
        --set m=263 --set n=517 --set k=139 $quick
    [ -z "$hopper" ] || ok "matmul under $tool: every step was measured" all_measured "$details/$tool-matmul.json"
    # shellcheck disable=SC2086
    sanitized $tool $tool-matmul-aligned matmul --set step=$steps --set type=fp32,fp64,tf32,bf16,fp8 --set layout=nn,tn \
        --set m=263 --set n=520 --set k=328 $quick
    # shellcheck disable=SC2086
    sanitized $tool $tool-matmul-tiles matmul --set step=mma,wgmma --set type=fp64,bf16 --set layout=nn,tn \
        --set m=2304 --set n=2048 --set k=128 $quick
    # shellcheck disable=SC2086
    sanitized $tool $tool-matmul-divided matmul --set step=mma,wgmma --set type=fp64,tf32,bf16,fp8 --set layout=tn \
        --set m=64 --set n=192 --set k=4096 $quick
    # shellcheck disable=SC2086
    sanitized $tool $tool-matmul-together matmul --set step=wgmma --set type=bf16 --set layout=tn \
        --set m=4096 --set n=4096 --set k=8192 $quick
done
