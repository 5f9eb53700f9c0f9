#!/usr/bin/env bash
# Whole programs: one is compiled, executed and recorded, also from the cache; what recording costs; a command of the machine and a
# comparison; hostile programs end as failed runs, after which the next one works. Needs nvcc. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

if ! command -v nvcc >/dev/null; then
    skip 'programs: nvcc is not installed'
    # shellcheck disable=SC2317 # gpu.sh sources this file
    return 0
fi
chmod 755 "$work" # the user of programs reads the command of the machine
mkdir -p "$work/programs" "$details/programs"
[ "$(id -u)" != 0 ] || export GPULAB_PROGRAM_USER=${GPULAB_PROGRAM_USER:-nobody}
export XDG_CACHE_HOME=$work/cache

program() { # NAME [FILE] [OPTION…]: the document of the run is in NAME.json; $seconds is how long the command took
    local name=$1 begin=$EPOCHREALTIME
    shift
    gpulab program --db "$work/programs.db" --lock-dir "$work/locks" --programs "$work/programs.json" --json "$@" \
        >"$details/programs/$name.json" 2>"$details/programs/$name.err"
    seconds=$(awk "BEGIN { print $EPOCHREALTIME - $begin }")
}
id_of() { grep -o '"id" *: *"[0-9a-f-]\{36\}"' "$details/programs/$1.json" | head -n 1 | grep -o '[0-9a-f-]\{36\}'; }
detail_of() { grep -o '"detail" *: *"[^"]*"' "$details/programs/$1.json" | head -n 1; }
protection() { grep -o '"protection" *: *"[a-z]*"' "$details/programs/$1.json" | head -n 1; }

# --- from paste to output -------------------------------------------------------------------------------------------------
cat >"$work/programs/launches.cu" <<'END'
#include "gpulab.h"
#include <chrono>
#include <stdio.h>
__global__ void nothing() {}
int main()
{
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 50000; i++)
        nothing<<<1, 1>>>();
    cudaError_t error = cudaDeviceSynchronize();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    printf("%s after %g s\n", cudaGetErrorString(error), seconds);
    gpulab_result("time", seconds / 50000, "s", "operation=launch");
    return error != cudaSuccess;
}
END
launches=$work/programs/launches.cu
program cold "$launches" --set timeline=false
ok "a program runs $(protection cold): $(detail_of cold)" succeeded "$details/programs/cold.json"
cold=$seconds
program cached "$launches" --set timeline=false
ok "from paste to output: $cold s, when it was compiled before $seconds s" holds "$seconds < $cold"

# --- what recording costs -------------------------------------------------------------------------------------------------
program recorded "$launches" --set timeline=true
plain=$(value "$details/programs/cached.json" time) recorded=$(value "$details/programs/recorded.json" time)
ok "of 50,000 launches one takes $plain s, recorded $recorded s" holds "$recorded - $plain < 10e-6"
ok 'recording finds that launches cost more than their kernels' grep -q 'costly-launches' "$details/programs/recorded.json"
bare=$(value "$details/programs/cached.json" elapsed) whole=$(value "$details/programs/recorded.json" elapsed)
ok "the program takes $bare s, recorded $whole s" holds "$whole > 0 && $bare > 0"

# --- a command of the machine, and a comparison ---------------------------------------------------------------------------
cat >"$work/programs/bandwidth.cu" <<'END'
#include <chrono>
#include <stdio.h>
int main(int count, char **arguments)
{
    const size_t bytes = 64 << 20;
    void *host, *device;
    if (cudaMallocHost(&host, bytes) != cudaSuccess || cudaMalloc(&device, bytes) != cudaSuccess)
        return 1;
    printf("{\"context\": {\"host_name\": \"here\"}, \"benchmarks\": [");
    for (int i = 0; i < 5; i++) {
        auto start = std::chrono::steady_clock::now();
        cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
        double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
        printf("%s{\"name\": \"copy/%zu\", \"run_name\": \"copy/%zu\", \"run_type\": \"iteration\", \"repetitions\": 5, \"repetition_index\": %d, "
               "\"iterations\": 1, \"real_time\": %.1f, \"cpu_time\": %.1f, \"time_unit\": \"ns\", \"bytes_per_second\": %.6g}",
               i ? ", " : "", bytes, bytes, i, ns, ns, bytes / ns * 1e9);
    }
    printf("]}\n");
    return count > 1 && arguments[1][0] == 'x';
}
END
nvcc -O2 "$work/programs/bandwidth.cu" -o "$work/programs/bandwidth" && chmod 755 "$work/programs" "$work/programs/bandwidth"
echo "{\"copy\": {\"command\": [\"$work/programs/bandwidth\"], \"format\": \"google-benchmark\"}}" >"$work/programs.json"
for run in first second; do
    program "$run" --command copy
    ok "a command of the machine measures $(value "$details/programs/$run.json" bandwidth) GB/s" holds "$(value "$details/programs/$run.json" bandwidth) > 1"
done
gpulab compare "$(id_of first)" "$(id_of second)" --db "$work/programs.db" --json >"$details/programs/compare.json" 2>&1
ok "its figures are compared: $(grep -o '"verdict" *: *"[a-z]*"' "$details/programs/compare.json" | sort | uniq -c | tr -s '\n ' ' ')" \
    grep -q '"metric" *: *"bandwidth"' "$details/programs/compare.json"
sed 's/i < 50000/i < 100000/' "$launches" >"$work/programs/twice.cu"
program compared "$work/programs/twice.cu" --compare-with "$launches" --set runs=5 --set timeline=false
base=$(value "$details/programs/compared.json" time "$(axis side base)") head=$(value "$details/programs/compared.json" time "$(axis side head)")
ok "100,000 launches counted as 50,000 take $(awk "BEGIN { print $head / $base }") times as long" holds "$head / $base > 1.5 && $head / $base < 2.5"

# --- hardware counters ----------------------------------------------------------------------------------------------------
cat >"$work/programs/reads.cu" <<'END'
__global__ void copy(const float4 *from, float4 *to) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; to[i] = from[i]; }
int main()
{
    const size_t bytes = 256 << 20, count = bytes / sizeof(float4);
    float4 *from, *to;
    if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess || cudaMemset(from, 0, bytes) != cudaSuccess)
        return 1;
    for (int i = 0; i < 20; i++)
        copy<<<count / 256, 256>>>(from, to);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
program counted "$work/programs/reads.cu" --set counters=true
read_bytes=$(tr -d '\n' <"$details/programs/counted.json" | grep -o '{[^{}]*"dram_read_bytes"[^{}]*}' | grep -o '"value" *: *[0-9.e+]*' |
    grep -o '[0-9.e+]*$')
without=$(grep -o 'no hardware counters: [^"]*' "$details/programs/counted.json" | grep 'administrators\|profiler\|CUPTI')
if [ -n "$without" ]; then
    skip "counters of a program: $without"
else
    ok "20 launches that read 256 MiB each are counted as $read_bytes B, of 5368709120" \
        holds "$read_bytes / 5368709120 > 0.98 && $read_bytes / 5368709120 < 1.02"
fi

# --- hostile programs -----------------------------------------------------------------------------------------------------
cat >"$work/programs/hostile.cu" <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__global__ void endless(volatile int *x) { while (*x != 7) ; }
__global__ void store(int *x) { x[(1ull << 40) + threadIdx.x] = 1; }
__global__ void trap() { __trap(); }
__global__ void add(int *x) { atomicAdd(x, 1); }
static int end() { cudaError_t error = cudaDeviceSynchronize(); puts(cudaGetErrorString(error)); return error != cudaSuccess; }
int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "good";
    int *x, sum = 0;
    if (strcmp(what, "child") == 0 && fork() == 0) {
        setsid();
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_IGN);
        cudaMalloc(&x, 1 << 30);
        cudaMemset(x, 0, 4);
        endless<<<1, 1>>>(x);
        cudaDeviceSynchronize();
    }
    if (strcmp(what, "child") == 0)
        return sleep(2) != 0;
    if (strcmp(what, "garbage") == 0 && write(atoi(getenv("GPULAB_TRACE_FD")), what, strlen(what)) < 0)
        return 4;
    if (strcmp(what, "closed") == 0 && close(atoi(getenv("GPULAB_TRACE_FD"))) != 0)
        return 4;
    if (strcmp(what, "garbage") == 0 || strcmp(what, "closed") == 0)
        what = "good";
    if (cudaMalloc(&x, 4) != cudaSuccess || cudaMemset(x, 0, 4) != cudaSuccess)
        return 3;
    if (strcmp(what, "endless") == 0)
        endless<<<1, 1>>>(x);
    else if (strcmp(what, "address") == 0)
        store<<<1, 32>>>(x);
    else if (strcmp(what, "trap") == 0)
        trap<<<1, 1>>>();
    else if (strcmp(what, "memory") == 0) {
        size_t held = 0;
        for (size_t size = (size_t)1 << 34; size > 1 << 20; size /= 2)
            for (void *more; cudaMalloc(&more, size) == cudaSuccess; held += size)
                ;
        printf("holds %zu MiB\n", held >> 20);
        fflush(stdout);
        kill(getpid(), SIGKILL);
    }
    if (strcmp(what, "good") != 0)
        return end();
    add<<<100, 32>>>(x);
    cudaMemcpy(&sum, x, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", sum);
    return sum != 3200;
}
END
hostile=$work/programs/hostile.cu
good_run() { program after "$hostile" && succeeded "$details/programs/after.json"; }
ok 'a good program runs' good_run
hostile_run() { # NAME STATUS TEXT: the program with that argument ends so, its record contains the text, nothing of it is left, and the next one works
    program "$1" "$hostile" --set limit_s=5 -- "$1"
    ok "$1: $2, in $seconds s; $(detail_of "$1")" grep -q "\"status\" *: *\"$2\"" "$details/programs/$1.json"
    ok "$1: $3" grep -q "$3" "$details/programs/$1.json"
    ok "after $1 no process is left on the GPU" holds "$(processes) <= $base_processes"
    ok "after $1 the next program works" good_run
}
hostile_run endless failed 'longer than its time limit'
hostile_run memory failed 'holds [0-9]* MiB'
hostile_run address failed 'illegal memory access'
hostile_run trap failed 'trap\|launch failure\|illegal instruction'
hostile_run child succeeded '"status"'
hostile_run garbage succeeded '3200'
hostile_run closed succeeded '3200'
ok 'nothing of the programs is left in the temporary folder' test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'gpulab-program*')"
