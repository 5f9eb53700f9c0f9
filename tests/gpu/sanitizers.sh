#!/usr/bin/env bash
# Memory errors and data races, found by compute-sanitizer. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

command -v compute-sanitizer >/dev/null || { skip 'compute-sanitizer is not installed' && return; }

sanitized memcheck memcheck transfer --set min_bytes=64KiB --set max_bytes=1MiB --set factor=4 \
    --set direction=h2d,d2h,d2d --set memory=pageable,pinned,write-combined,mapped --set engine=copy,sm --set opposing=false,true \
    --set pattern=contiguous,pieces,pitched,rows
if [ "$gpus" -ge 2 ]; then
    sanitized memcheck memcheck-scaling scaling --set bytes=1000000 --set weight=1001 --set time_budget_s=1
    sanitized racecheck racecheck-transpose peer-transpose --set n=1002 --set time_budget_s=1
fi
