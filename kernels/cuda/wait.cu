/* Kernels of one thread: the latch, and the count of cycles that measures the clock rate. */
#include "kernels.h"

__device__ static uint64_t now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Reads the value that the host wrote last. The read is volatile, so that it bypasses all caches. */
__device__ static uint32_t read_host_word(const volatile uint32_t *word)
{
    return *word;
}

/* The latch. Declared extern "C", because trace.c recognises the kernel by its unmangled name,
 * LAB_CUDA_LATCH_KERNEL. */
extern "C" __global__ void lab_cuda_latch(cuda_latch_words *words, uint32_t closing, uint64_t timeout_ns)
{
    uint64_t start = now_ns();
    /* The numbers of closings wrap around, so they are compared by the sign of their difference. */
    while ((int32_t)(read_host_word(&words->opened) - closing) < 0) {
        if (now_ns() - start > timeout_ns) {
            words->timed_out = closing;
            __threadfence_system();
            return;
        }
    }
}

/* The device's timer advances in steps that may be longer than the time of reading it, so the start and the end of the
 * interval are aligned to a step. */
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

extern "C" cudaError_t lab_cuda_launch_latch(cudaStream_t stream, struct cuda_latch_words *words, uint32_t closing,
                                             uint64_t timeout_ns)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, lab_cuda_latch, words, closing, timeout_ns);
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
    cudaError_t status = cudaFuncGetAttributes(&attributes, lab_cuda_latch);
    return status == cudaSuccess ? cudaFuncGetAttributes(&attributes, count_cycles) : status;
}
