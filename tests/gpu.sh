#!/usr/bin/env bash
# The tests that need a GPU, for a machine that has one; it needs no internet access, and a compiler, nvcc, only for programs:
#
#   tests/gpu.sh BUNDLE           BUNDLE is the folder that `cmake --build --preset gpu --target bundle` creates; the folder
#                                 contains this script and its parts, so that `./gpu.sh .` works in it
#   tests/gpu.sh BUNDLE PART…     only these parts
#
# Parts, each a file in gpu/
#   runtime             the functions of the runtime's table, and the devices
#   quick               every experiment with --quick
#   health              the verdict about the GPUs, and how long it takes
#   server              pinned copies, also through a server over HTTP; nothing of the lab remains on the GPU afterwards
#   kernels             own kernels: edited sources, kernels of files, hostile kernels
#   challenges          solutions of the ready challenges, and attempts to cheat
#   programs            whole programs: from paste to output, what recording costs, a command, a comparison, hostile programs
#   plain-loops         cuBLAS, cuFFT and launches
#   figures             what the benchmarks of one GPU must measure, on any GPU and on Hopper
#   stencils            what finite-differences and laplace must measure
#   matmul              the throughput of the steps of matmul, on Hopper
#   multi-gpu           what takes several GPUs, on any number of them: the four parts below
#   peer                copies between GPUs, peer-transpose, copies with the host by all GPUs
#   scaling             strong scaling of the kernel pairs
#   all-reduce          all-reduces compared with a plain loop
#   two-machines        a run of two processes, on two GPUs compared with one process
#   sanitizers          memory errors and data races
#   sanitizers-matmul   the same in matmul
#
# Every experiment must verify its results. Pinned copies, cuBLAS, cuFFT, launches, peer copies and all-reduces are compared
# with plain loops that share no code with the lab, in alternating rounds, so that both run under the same conditions.
# The last line is `N passed, N failed`. Results and logs are written to the folder $OUT, if it is set.
# shellcheck disable=SC2034 # the parts use the variables
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd) || exit 2
bundle=$(cd "${1:-$here}" && pwd) || exit 2
parts=("${@:2}")
[ ${#parts[@]} -gt 0 ] || parts=(runtime quick health server kernels challenges programs plain-loops figures stencils matmul multi-gpu sanitizers sanitizers-matmul)
for part in "${parts[@]}"; do
    [ -f "$here/gpu/$part.sh" ] || { echo "There is no part '$part'; the parts are the files in $here/gpu." >&2 && exit 2; }
done
PATH=$bundle/bin:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer:$PATH
export LC_ALL=C GPULAB_RUNTIME=${GPULAB_RUNTIME:-cuda}
rounds=${ROUNDS:-5} bytes=268435456 tolerance=0.02

work=$(mktemp -d)
details=${OUT:-$work/details}
mkdir -p "$details"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
# A state folder of its own, so that commands without --server do not find the server of this test.
export XDG_STATE_HOME=$work/local

passed=0 failed=0
ok() { # WHAT COMMAND…
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "ok      $what"
    else
        failed=$((failed + 1))
        echo "FAILED  $what"
    fi
}
skip() { echo "skipped $1"; }
holds() { awk "BEGIN { exit !($1) }"; } # EXPRESSION of numbers, in awk's syntax

median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# --- reading JSON with grep and sed, because jq may be missing ------------------------------------------------------------
measurements() { tr -d '\n' <"$1" | sed 's/"axes" *:/\n&/g' | grep '"axes"'; } # FILE: one measurement per line
# The medians of the lines on stdin; a skipped measurement has the median null.
medians() { grep -o '"median" *: *-\?[0-9][0-9.eE+-]*' | grep -o '[0-9.eE+-]*$'; }
median_of() { # FILE DIRECTION MEMORY: GB/s
    measurements "$1" | grep '"metric" *: *"bandwidth"' | grep "\"direction\" *: *\"$2\"" | grep "\"memory\" *: *\"$3\"" | medians | head -n 1
}
succeeded() { grep -q '"status" *: *"succeeded"' "$1"; }
verified() { grep -q '"verified" *: *true' "$1" && ! grep -q '"verified" *: *false' "$1"; }
all_good() { # FILE…
    local file
    for file in "$@"; do
        succeeded "$file" && verified "$file" || return 1
    done
}
medians_of() { # FILE METRIC PATTERN…: the medians of the metric among the measurements that match all patterns
    local lines pattern metric=$2
    lines=$(measurements "$1" | grep "\"metric\" *: *\"$metric\"")
    shift 2
    for pattern in "$@"; do lines=$(grep "$pattern" <<<"$lines"); done
    medians <<<"$lines"
}
value() { medians_of "$@" | head -n 1; }
smallest() { medians_of "$@" | sort -g | head -n 1; }
largest() { medians_of "$@" | sort -g | tail -n 1; }
axis() { echo "\"$1\" *: *\"\?$2\"\?[ ,}]"; } # NAME VALUE: a pattern for measurements with that value
fact() { grep -o "\"$1\" *: *[^,}]*" "$details/devices.json" | head -n 1 | grep -o '[0-9][0-9.e+-]*$'; } # NAME: of the first device
field() { grep -o "\"$2\":\"\?[^,}\"]*" <<<"$1" | sed 's/.*:"\?//'; } # LINE NAME: a field of a line that a plain program printed

# --- processes and memory on the GPU --------------------------------------------------------------------------------------
processes() { nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | grep -c '[0-9]'; }
used_mebibytes() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null | awk '{ s += $1 } END { print s + 0 }'; }

# --- memory errors and data races -----------------------------------------------------------------------------------------
sanitized() { # TOOL NAME EXPERIMENT [OPTION…]: runs the experiment with its worker under a tool of compute-sanitizer
    local tool=$1 name=$2 options=
    shift 2
    # The number of a kernel's parameters is found by a call that fails (kernels/cuda/launch_check.c).
    [ "$tool" = memcheck ] && options='--report-api-errors no'
    rm -rf "${details:?}/$name"
    mkdir "$details/$name"
    # One worker lists the devices and measures; another one traces, if the experiment has a timeline. Each writes its own log.
    cat >"$work/worker" <<END
#!/bin/sh
exec compute-sanitizer --tool $tool $options --log-file "$details/$name/\$\$.txt" --error-exitcode 99 "$bundle/bin/gpulab-worker" "\$@"
END
    chmod +x "$work/worker"
    gpulab run "$@" --worker "$work/worker" --no-save --json --set max_samples=1 >"$details/$name.json" 2>"$details/$name.log"
    ok "$1 under compute-sanitizer's $tool succeeds and verifies" all_good "$details/$name.json"
    local workers clean
    workers=$(find "$details/$name" -name '*.txt' | wc -l)
    clean=$(grep -l 'ERROR SUMMARY: 0 errors\|RACECHECK SUMMARY: 0 hazards' "$details/$name"/*.txt | wc -l)
    ok "$tool finds nothing in $1, in $clean of $workers workers" holds "$workers >= 1 && $clean == $workers"
}

gpulab --version && nvidia-smi --query-gpu=name,uuid,driver_version,pcie.link.gen.max,pcie.link.width.max --format=csv
base_processes=$(processes) base_mebibytes=$(used_mebibytes)
gpus=$(nvidia-smi --list-gpus | grep -c '^GPU')
hopper=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | grep '^9\.0')
gpulab devices --json >"$details/devices.json" || { echo '0 passed, 1 failed' && exit 1; }

for part in "${parts[@]}"; do
    began=$SECONDS
    # shellcheck source=/dev/null
    . "$here/gpu/$part.sh"
    echo "part $part: $((SECONDS - began)) s"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
