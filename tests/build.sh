#!/usr/bin/env bash
# Makes a build of a preset for the tests: tests/build.sh PRESET [-DOPTION=…] [--target TARGET…]. Compilers run through ccache where
# it is installed. The logs are build/tests/configure-PRESET.log and compile-PRESET.log; what failed is printed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
preset=$1 logs=build/tests options=() targets=()
shift
for argument in "$@"; do
    case $argument in -D*) options+=("$argument") ;; *) targets+=("$argument") ;; esac
done
# Test programs are linked twice as fast by gold.
if [[ $preset != @(release|check) ]] && type -P ld.gold >/dev/null; then options+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold); fi
if type -P ccache >/dev/null; then
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 # one cache for all checkouts
fi
mkdir -p "$logs"
# shellcheck disable=SC2086 # a list of options
if cmake --preset "$preset" -DGPULAB_TESTS=ON "${options[@]}" ${GPULAB_CMAKE_OPTIONS:-} >"$logs/configure-$preset.log" 2>&1 &&
    cmake --build --preset "$preset" -j "$(nproc)" "${targets[@]}" >"$logs/compile-$preset.log" 2>&1; then
    grep '^-- gpulab:' "$logs/configure-$preset.log"
    exit 0
fi
grep -E -A 12 'error:|FAILED:|CMake Error' "$logs/configure-$preset.log" "$logs/compile-$preset.log" | tail -n 60
exit 1
