#!/usr/bin/env bash
# Own kernels: an unedited source is as fast as the built-in one, an edit is measured and a wrong one is caught, a kernel of a file
# is measured beside its reference, hostile kernels end as failed runs, after which the lab goes on, and the kernels of the folder
# kernels are right. A part of gpu.sh.
# shellcheck disable=SC2154 # gpu.sh sets the variables

sources=$work/sources
mkdir -p "$sources" "$details/kernels"
gpulab serve --listen 127.0.0.1:0 --db "$work/kernels.db" >"$work/kernels.log" 2>"$details/kernels.err" &
server=$!
for _ in $(seq 100); do
    address=$(sed -n 's/^listening on //p' "$work/kernels.log")
    [ -z "$address" ] && sleep 0.1 || break
done

source_of() { # EXPERIMENT STEP: its CUDA source
    local host=${address#http://}
    exec 3<>"/dev/tcp/${host%:*}/${host##*:}" || return
    printf 'GET /api/v1/experiments/%s/sources/%s?backend=cuda HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" "$2" >&3
    sed '1,/^\r$/d' <&3
    exec 3>&-
}
edited() { # NAME STEP=FILE EXPERIMENT [OPTION…]
    local name=$1 edit=$2
    shift 2
    gpulab run "$@" --edit "$edit" --server "$address" --json >"$details/kernels/$name.json" 2>>"$details/kernels.err"
}
own() { # NAME FILE [OPTION…]
    local name=$1 file=$2
    shift 2
    gpulab kernel "$sources/$file" "$@" --server "$address" --json >"$details/kernels/$name.json" 2>"$details/kernels/$name.err"
}
side() { value "$details/kernels/$1.json" time "$(axis side "$2")"; } # NAME base|head: seconds
problem_of() { grep -o '"type" *: *"/problems/[a-z-]*"' "$details/kernels/$1.json" | head -n 1 | grep -o '[a-z-]*"$' | tr -d '"'; }

# --- edited sources -------------------------------------------------------------------------------------------------------
compare_sources() { # EXPERIMENT STEP [OPTION…]: the unedited source is within 1 % of the built-in kernel
    local name=$1-$2 edit
    source_of "$1" "$2" >"$sources/$name.cu"
    edit=$2=$sources/$name.cu
    set -- "$1" "${@:3}"
    edited "$name" "$edit" "$@"
    ok "$name as it is shown succeeds and verifies ($(problem_of "$name"))" all_good "$details/kernels/$name.json"
    ok "$name as it is shown: $(side "$name" head) s, built in $(side "$name" base) s" \
        holds "$(side "$name" head) / $(side "$name" base) < 1.01 && $(side "$name" head) / $(side "$name" base) > 0.99"
}
compare_sources transpose padded --set m=8192
compare_sources transpose naive --set m=8192
compare_sources stream copy --set min_bytes=256MiB --set max_bytes=256MiB
compare_sources summation tree --set content=positive --set min_n=4194304
compare_sources matmul tiled-32 --set type=fp32 --set min_size=2048 --set max_size=2048
compare_sources matmul warp-tiled --set type=fp32 --set min_size=4096 --set max_size=4096

sed 's/transpose_tile<TILE + 1>/transpose_tile<TILE>/' "$sources/transpose-padded.cu" >"$sources/unpadded.cu"
ok 'the padding can be removed from the shown source' test -n "$(diff "$sources/transpose-padded.cu" "$sources/unpadded.cu")"
edited unpadded "padded=$sources/unpadded.cu" transpose --set m=8192
ok "transpose without padding is right" all_good "$details/kernels/unpadded.json"
ok "transpose without padding: $(side unpadded head) s, with it $(side unpadded base) s" holds "$(side unpadded head) > 1.2 * $(side unpadded base)"

sed 's/tile\[threadIdx.x\]\[threadIdx.y + i\]/tile[threadIdx.y + i][threadIdx.x]/' "$sources/transpose-padded.cu" >"$sources/wrong.cu"
edited wrong "padded=$sources/wrong.cu" transpose --set m=1024
ok 'a wrong transpose fails the run' test "$(problem_of wrong)" = wrong-result
ok 'with the first wrong element' grep -q 'element [0-9]* is the first that is wrong: 0x' "$details/kernels/wrong.json"

sed 's/transpose_padded/transpose_other/' "$sources/transpose-padded.cu" >"$sources/renamed.cu"
edited renamed "padded=$sources/renamed.cu" transpose --set m=1024
ok 'a source without the kernel fails the run' test "$(problem_of renamed)" = kernel-not-found
sed 's/const float \*__restrict__ in,/const float *__restrict__ in, int more,/' "$sources/transpose-padded.cu" >"$sources/parameters.cu"
edited parameters "padded=$sources/parameters.cu" transpose --set m=1024
ok "a kernel with another parameter fails the run: $(problem_of parameters)" test "$(problem_of parameters)" != ''
sed 's/threadIdx.x/threadIndex.x/' "$sources/transpose-padded.cu" >"$sources/rejected.cu"
edited rejected "padded=$sources/rejected.cu" transpose
ok 'a source that is rejected fails the run' test "$(problem_of rejected)" = compile-failed
ok 'with a line' grep -q '"line" *: *[1-9]' "$details/kernels/rejected.json"

gpulab compile "$sources/transpose-padded.cu" --edits transpose/padded --server "$address" --sass >"$details/kernels/sass.txt" 2>&1
ok "the machine code of a shown source stores to memory: $(grep -m 1 -o 'STG.*;' "$details/kernels/sass.txt" || tail -n 1 "$details/kernels/sass.txt")" \
    grep -q 'STG' "$details/kernels/sass.txt"

# --- a kernel of a file ---------------------------------------------------------------------------------------------------
# The usual first exercise: a multiplication in tiles of 32 x 32, and the naive one as its reference.
cat >"$sources/multiply.cu" <<'END'
template <int SIZE> __global__ void multiply(float *c, const float *a, const float *b, int n)
{
    __shared__ float tile_a[SIZE][SIZE], tile_b[SIZE][SIZE];
    int row = blockIdx.y * SIZE + threadIdx.y, column = blockIdx.x * SIZE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += SIZE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < SIZE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void naive(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
END
product=(--arg 'c:fp32[n * n]:out' --arg 'a:fp32[n * n]' --arg 'b:fp32[n * n]' --arg 'n:i32=512,1024,2048'
    --grid 'n / 32; n / 32' --block '32; 32' --operations '2 * n * n * n' --bytes '12 * n * n')
own multiply multiply.cu --entry 'multiply<32>' --reference naive "${product[@]}"
ok "a multiplication is measured at three sizes and verified ($(problem_of multiply))" all_good "$details/kernels/multiply.json"
ok 'it has all metrics' test "$(medians_of "$details/kernels/multiply.json" throughput | wc -l)" -eq 3 -a \
    "$(medians_of "$details/kernels/multiply.json" speedup | wc -l)" -eq 3
ok "tiles are faster: $(value "$details/kernels/multiply.json" speedup "$(axis n 2048)") times" \
    holds "$(value "$details/kernels/multiply.json" speedup "$(axis n 2048)") > 1"
sed 's/sum += a/sum += (k != 5) * a/' "$sources/multiply.cu" >"$sources/differs.cu"
own differs differs.cu --entry naive --reference 'multiply<32>' "${product[@]}"
ok 'one that differs from its reference fails the run' test "$(problem_of differs)" = wrong-result
ok 'with the element' grep -q 'element [0-9]* of c is the first that differs from the reference: [0-9.]* instead of [0-9.]*' "$details/kernels/differs.json"

# --- what the outputs are expected to be ----------------------------------------------------------------------------------
cat >"$sources/axpy.cu" <<'END'
__global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
END
axpy=(--arg 'n:i32=1000,1M' --arg a:fp32=2.5 --arg 'x:fp32[n]' --arg 'y:fp32[n]:inout' --expect 'y=a * x[i] + y[i]')
own expected axpy.cu "${axpy[@]}"
ok "outputs are what is expected ($(problem_of expected))" all_good "$details/kernels/expected.json"
sed 's/+ y\[i\]/+ y[i] + (i == 777)/' "$sources/axpy.cu" >"$sources/unexpected.cu"
own unexpected unexpected.cu "${axpy[@]}"
ok 'one that is not fails the run' test "$(problem_of unexpected)" = wrong-result
ok 'with the element and its inputs' grep -q \
    'element 777 of y is the first that differs from what is expected: [0-9.]* instead of [0-9.]*, where a = 2.5, x\[777\] = [0-9.]*, y\[777\] was [0-9.]*' \
    "$details/kernels/unexpected.json"
own expected-product multiply.cu --entry 'multiply<32>' "${product[@]}" --set n=512 --expect 'c=sum(k, 0, n, a[i / n * n + k] * b[k * n + i % n])'
ok "a multiplication is a sum of products ($(problem_of expected-product))" all_good "$details/kernels/expected-product.json"

# The same by a function in C, which is a program: a lab that is reached over TCP does not execute it.
echo 'void check(int n, float a, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i]; }' >"$sources/check.c"
user=()
[ "$(id -u)" != 0 ] || user=(--program-user nobody)
for file in axpy unexpected; do
    gpulab kernel "$sources/$file.cu" "${axpy[@]:0:8}" --check "$sources/check.c" --db "$work/checked.db" --lock-dir "$work/locks" "${user[@]}" --json \
        >"$details/kernels/checked-$file.json" 2>"$details/kernels/checked-$file.err"
done
ok "outputs are what a function in C computes ($(problem_of checked-axpy))" all_good "$details/kernels/checked-axpy.json"
ok 'one that is not fails the run' test "$(problem_of checked-unexpected)" = wrong-result
ok 'with the element and its inputs' grep -q 'element 777 of y is the first that differs from what the check computes: .*, x\[777\] = [0-9.]*' \
    "$details/kernels/checked-unexpected.json"

# A structure and a vector of the kernel are structures of the function.
echo 'void check(const float *x, float *y, struct p p, float4 shift, int n)
{
    for (int i = 0; i < n; i++)
        if (i % p.skip != 0)
            y[i] = p.alpha * x[i] + (float)p.beta * y[i] + ((p.flags & 1) != 0 ? shift.w : shift.x);
}' >"$sources/fields.c"
gpulab kernel "$here/gpu/kernels/parameter-fields.cu" --arg 'x:fp32[n]' --arg 'y:fp32[n]:inout' \
    --arg 'p:{alpha:fp32=2.5,beta:fp64=0.5,skip:i32=3,flags:u8=1}' --arg 'shift:float4=(1,2,3,4)' --arg n:i32=1000 --check "$sources/fields.c" \
    --db "$work/checked.db" --lock-dir "$work/locks" "${user[@]}" --json >"$details/kernels/checked-fields.json" 2>"$details/kernels/checked-fields.err"
ok "structures are those of a function in C ($(problem_of checked-fields))" all_good "$details/kernels/checked-fields.json"

# --- what is saved --------------------------------------------------------------------------------------------------------
own saved axpy.cu "${axpy[@]:0:8}" --set n=1000 --save-output "y=$sources/y.npy"
ok "an output is saved ($(problem_of saved))" test "$(stat -c %s "$sources/y.npy")" = 4128
own held axpy.cu "${axpy[@]:0:8}" --set n=1000 --expect "y=@$sources/y.npy"
ok "the same kernel is held to it ($(problem_of held))" all_good "$details/kernels/held.json"
own unheld unexpected.cu "${axpy[@]:0:8}" --set n=1000 --expect "y=@$sources/y.npy"
ok 'one that differs fails the run' test "$(problem_of unheld)" = wrong-result

# --- hostile kernels ------------------------------------------------------------------------------------------------------
harmless() { own after multiply.cu --entry naive "${product[@]}" --set n=512 && succeeded "$details/kernels/after.json"; }
hostile() { # NAME STATUS "TEXT" [OPTION…]: the source on stdin ends with the status, its record contains the text, and the next run works
    local name=$1 status=$2 text=$3
    shift 3
    cat >"$sources/$name.cu"
    own "$name" "$name.cu" --arg 'x:i32[1048576]:inout' --time-limit 20 --set time_budget_s=2 "$@"
    ok "$name: $status; $(grep -o '"detail" *: *"[^"]*"' "$details/kernels/$name.json" "$details/kernels/$name.err" | head -n 1)" \
        grep -q "\"status\" *: *\"$status\"" "$details/kernels/$name.json"
    ok "$name: $text" grep -q "$text" "$details/kernels/$name.json"
    ok "after $name the next run works" harmless
}
hostile endless failed 'time limit' <<<'__global__ void k(int *x) { while (*(volatile int *)x != 7) ; }'
hostile out-of-bounds failed 'illegal memory access' <<<'__global__ void k(int *x) { x[(1ull << 40) + threadIdx.x] = 1; }'
hostile misaligned failed 'misaligned' <<<'__global__ void k(int *x) { *(int *)((char *)x + 1 + 4 * threadIdx.x) = 1; }'
hostile trap failed 'cuda-error\|device-lost' <<<'__global__ void k(int *x) { __trap(); }'
hostile assert failed 'cuda-error\|device-lost' <<<'#include <cassert>
__global__ void k(int *x) { assert(threadIdx.x > 4096); }'
hostile printf-flood failed 'flood' <<<'#include <cstdio>
__global__ void k(int *x) { for (int i = 0; i < 100; i++) printf("flood %d of %d\n", i, threadIdx.x); }'
hostile device-malloc succeeded 'median' <<<'__global__ void k(int *x) { void *p = malloc(1 << 20); if (p != 0) free(p); }'
hostile leak succeeded 'median' <<<'__global__ void k(int *x) { malloc(1 << 16); }'
hostile recursion failed 'cuda-error\|device-lost\|time limit' <<<'__device__ int deep(int n, int *x) { int a[64]; a[n & 63] = n; return n < 0 ? 0 : deep(n + 1, x) + a[*x & 63]; }
__global__ void k(int *x) { *x = deep(0, x); }'
hostile inline-ptx failed 'cuda-error\|device-lost' <<<'__global__ void k(int *x) { asm volatile("st.global.u32 [%0], 1;" :: "l"(16ull)); }'
hostile static-shared failed 'declares 400000 bytes of shared memory' <<<'__global__ void k(int *x) { __shared__ int s[100000]; s[threadIdx.x] = *x; __syncthreads(); *x = s[0]; }'
hostile registers failed 'invalid-launch' --block 1024 <<<'__global__ void __launch_bounds__(128) k(int *x) { int a[200];
#pragma unroll
for (int i = 0; i < 200; i++) a[i] = x[i * threadIdx.x];
#pragma unroll
for (int i = 0; i < 200; i++) x[i] = a[199 - i]; }'
if command -v compute-sanitizer >/dev/null; then
    own sanitized out-of-bounds.cu --arg 'x:i32[1048576]:inout' --sanitize --set max_samples=1
    ok 'compute-sanitizer reports the write out of bounds' grep -q 'Invalid __global__ write' "$details/kernels/sanitized.json"
    ok 'after it the next run works' harmless
else
    skip 'compute-sanitizer is not installed'
fi
own shared multiply.cu --entry naive "${product[@]}" --set n=512 --shared 300000
ok "300000 bytes of shared memory are refused: $(head -n 1 "$details/kernels/shared.err")" grep -q 'kernel/shared' "$details/kernels/shared.err"

# --- kernels as people write them -----------------------------------------------------------------------------------------
# Each file begins with the options that measure it, and has a reference.
for file in "$here"/gpu/kernels/*.cu; do
    name=pasted-$(basename "$file" .cu)
    eval "set -- $(sed -n '1s,^// ,,p' "$file")"
    gpulab kernel "$file" "$@" --server "$address" --json >"$details/kernels/$name.json" 2>"$details/kernels/$name.err"
    ok "$name succeeds and verifies ($(problem_of "$name"))" all_good "$details/kernels/$name.json"
done

kill "$server" && wait "$server"
ok 'the server with own kernels stops on SIGTERM' test $? = 0
server=
