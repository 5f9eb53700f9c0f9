#!/usr/bin/env bash
# The functions of the runtime's table, and the devices. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

gpulab-runtime-check --rates "$GPULAB_RUNTIME" >"$details/runtime_check.txt" 2>&1
ok "the runtime check: $(tail -n 1 "$details/runtime_check.txt")" \
    grep -q '^[1-9][0-9]* passed, 0 failed$' "$details/runtime_check.txt"
ok 'the runtime check ran on a GPU' grep -q '"backend": *"cuda"' "$details/runtime_check.txt"
ok 'devices: a CUDA device with a UUID' grep -q '"id" *: *"\(GPU\|MIG\)-' "$details/devices.json"
ok 'devices: the peak memory bandwidth is known' grep -q '"memory_peak_bytes_per_s" *: *[0-9]' "$details/devices.json"
