#!/usr/bin/env bash
# Memory errors and data races, found by compute-sanitizer. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

command -v compute-sanitizer >/dev/null || { skip 'compute-sanitizer is not installed' && return; }
short="--set time_budget_s=60 --set min_time_s=0 --set settle_s=0"

sanitized memcheck memcheck transfer --set min_bytes=64KiB --set max_bytes=1MiB --set factor=4 \
    --set direction=h2d,d2h,d2d --set memory=pageable,pinned,write-combined,mapped --set engine=copy,sm --set opposing=false,true \
    --set pattern=contiguous,pieces,pitched,rows,variable,constant
if [ "$gpus" -ge 2 ]; then
    sanitized memcheck memcheck-scaling scaling --set bytes=1000000 --set weight=1001 --set time_budget_s=1
    sanitized memcheck memcheck-transpose peer-transpose --set n=$((1501 * gpus)),$((96 * gpus)) --set chunks=1 $short
    sanitized racecheck racecheck-transpose peer-transpose --set n=1002 --set time_budget_s=1
fi

# The benchmarks of one GPU. Sizes are small, and where they need not be a power of two, no multiple of a tile or a block.
# Racecheck watches shared memory: it runs on the kernels that use it.
while read -r tool benchmark options; do
    # shellcheck disable=SC2086 # options
    sanitized "$tool" "$tool-$benchmark" "$benchmark" --quick $options $short </dev/null
done <<'END'
memcheck  stream            --set min_bytes=1000000 --set max_bytes=1000000
memcheck  coalescing        --set bytes=1000000
memcheck  gather-scatter    --set bytes=65536,1048576
memcheck  vector-add        --set bytes=1000000
memcheck  thread-map
memcheck  block-shape       --set side=40
memcheck  async-copy        --set bytes=1003520 --set blocks_per_multiprocessor=1
memcheck  access-width      --set bytes=1000020 --set variant=vector,aos,aos-aligned,soa,aos-5,aos-5-aligned,soa-5
memcheck  memory-hierarchy  --set max_working_set=2MiB
memcheck  l1-cache          --set working_set=1040,16384
memcheck  bank-conflicts    --set variant=load,store --set width=4,16 --set stride=1,32,33 --set wavefronts=65536
memcheck  constant-texture  --set side=256
memcheck  local-memory      --set length=8,16,32,64
memcheck  pitch             --set bytes=1000000 --set row_bytes=100,1000,1028 --set alignment=4,16,512
memcheck  transpose         --set m=263,520 --set n=132
memcheck  occupancy-ilp     --set bytes=1000000 --set independent=1,2,4,8
memcheck  divergence
memcheck  intrinsics        --set variant=sin,tan,exp,log,pow,sqrt,rsqrt,divide,polynomial,underflow --set flags=default,fast-math
memcheck  monte-carlo       --set type=fp32,fp64 --set min_n=8192 --set max_n=8192
memcheck  atomics           --set type=int32,fp32 --set distribution=uniform,skewed,neighbouring
memcheck  atomic-operations --set type=int32,int64,fp32,fp64 --set result=unused,used --set elements=65536
memcheck  reduction         --set type=int32,fp32 --set min_bytes=1000000 --set max_bytes=1000000
memcheck  summation         --set max_n=16384 --set factor=16
memcheck  fft               --set n=16,128,256,4096 --set bytes=200000 --set type=fp32,fp64
memcheck  spectral          --set n=16,128,512 --set taps=3,40 --set bytes=200000
memcheck  launch            --set launches=1,16
memcheck  concurrent-kernels
memcheck  default-stream
memcheck  waiting
memcheck  host-work         --set bytes=1000000 --set host_work=0,100
memcheck  break-even        --set max_bytes=1000000
memcheck  managed-memory    --set min_bytes=4096 --set max_bytes=1000000
memcheck  finite-differences --set n=48 --set type=fp32,fp64 --set spacing=uniform,stretched
memcheck  laplace           --set n=96 --set variant=copy,separate,fused,every-k,tiles,rows,graph,cooperative --set device_count=1
racecheck finite-differences --set n=48 --set type=fp32,fp64
racecheck laplace           --set n=96 --set variant=fused,tiles,cooperative --set device_count=1
racecheck memory-hierarchy  --set variant=shared,read --set min_working_set=4KiB --set max_working_set=4KiB
racecheck fft               --set n=16,128,256,4096 --set bytes=200000 --set type=fp32,fp64 --set step=stockham
racecheck spectral          --set n=16,128,512 --set taps=3 --set bytes=200000 --set variant=spectral
racecheck async-copy        --set bytes=1003520 --set blocks_per_multiprocessor=1
racecheck bank-conflicts    --set variant=load,store --set width=4,16 --set stride=1,32,33 --set wavefronts=65536
racecheck constant-texture  --set variant=shared --set distinct=1,32
racecheck local-memory      --set variant=shared --set length=8
racecheck transpose         --set m=263,520 --set n=132
racecheck atomics           --set variant=shared,shared-per-warp --set type=int32,fp32
racecheck reduction         --set type=int32,fp32 --set min_bytes=1000000 --set max_bytes=1000000
racecheck monte-carlo       --set type=fp32,fp64 --set min_n=8192 --set max_n=8192
racecheck summation         --set max_n=16384 --set factor=16
END
