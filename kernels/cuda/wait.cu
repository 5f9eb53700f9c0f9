/* Kernels that only wait: the latch, and the clock. */
#include "kernels.h"

__device__ static uint64_t now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* What the host has written last: a volatile read goes past all caches. */
__device__ static uint32_t read_of_host(const volatile uint32_t *word)
{
    return *word;
}

/* Not mangled: LAB_CUDA_HOLD is its name. */
extern "C" __global__ void lab_cuda_hold(cuda_latch_words *words, uint32_t closing, uint64_t timeout_ns)
{
    uint64_t start = now_ns();
    /* Closings are counted round a circle: the difference says which is the later. */
    while ((int32_t)(read_of_host(&words->opened) - closing) < 0) {
        if (now_ns() - start > timeout_ns) {
            words->timed_out = closing;
            __threadfence_system();
            return;
        }
    }
}

/* The timer moves in steps that may be longer than what reading it takes, so both readings wait for a step. */
__global__ void count_cycles(uint64_t duration_ns, uint64_t *answer)
{
    uint64_t before = now_ns(), start, now, last;
    while ((start = now_ns()) == before)
        ;
    long long first_cycle = clock64();
    now = start;
    do {
        last = now;
        while ((now = now_ns()) == last)
            ;
    } while (now - start < duration_ns);
    answer[0] = (uint64_t)(clock64() - first_cycle);
    answer[1] = now - start;
    __threadfence_system();
}

extern "C" cudaError_t lab_cuda_launch_hold(cudaStream_t stream, struct cuda_latch_words *words, uint32_t closing,
                                            uint64_t timeout_ns)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, lab_cuda_hold, words, closing, timeout_ns);
}

extern "C" cudaError_t lab_cuda_launch_count_cycles(cudaStream_t stream, uint64_t duration_ns, uint64_t *answer)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, count_cycles, duration_ns, answer);
}

extern "C" cudaError_t lab_cuda_load_wait(void)
{
    cudaFuncAttributes attributes;
    cudaError_t status = cudaFuncGetAttributes(&attributes, lab_cuda_hold);
    return status == cudaSuccess ? cudaFuncGetAttributes(&attributes, count_cycles) : status;
}
