/* Measures the clock rate of the multiprocessors: cycles counted, divided by the time on the device's timer. */
#include "device.h"
#include "entries.h"
#include "kernels.h"

/* Long compared with the resolution of the device's timer, which is between 32 ns and 1 us, depending on the device. */
static const uint64_t duration_ns = 2000000;

static bool cuda_clock_measure(struct lab_device *base, double *hz)
{
    struct cuda_device *device = cuda_device_of(base);
    if (!lab_cuda_make_current(base) ||
        !lab_cuda_check(base, lab_cuda_launch_count_cycles(device->service, duration_ns, device->device_words),
                        "starting to count cycles") ||
        !lab_cuda_check(base, cudaStreamSynchronize(device->service), "counting cycles"))
        return false;
    volatile uint64_t *answer = device->words;
    *hz = 1e9 * (double)answer[0] / (double)answer[1];
    return true;
}

const struct lab_runtime_clock lab_cuda_clock = {.measure = cuda_clock_measure};
