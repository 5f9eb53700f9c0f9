#!/usr/bin/env bash
# Everything that takes several GPUs, on any number of them: peer.sh, scaling.sh, all-reduce.sh, two-machines.sh. A part of
# gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

for subject in peer scaling all-reduce two-machines; do
    # shellcheck source=/dev/null
    . "$here/gpu/$subject.sh"
done
