/* How fast the multiprocessors are clocked: their cycles over the device's own timer. */
#include "device.h"

#include "kernels.h"

static const uint64_t duration_ns = 2000000; /* the timer's steps are up to 1 us, on some devices 32 ns */

static bool measure(struct lab_device *base, double *hz)
{
    struct cuda_device *device = cuda_device_of(base);
    if (!lab_cuda_enter(base) ||
        !lab_cuda_good(base, lab_cuda_launch_count_cycles(device->service, duration_ns, device->words_there),
                       "starting to count cycles") ||
        !lab_cuda_good(base, cudaStreamSynchronize(device->service), "counting cycles"))
        return false;
    volatile uint64_t *answer = device->words;
    *hz = 1e9 * (double)answer[0] / (double)answer[1];
    return true;
}

const struct lab_runtime_clock lab_cuda_clock = {.measure = measure};
