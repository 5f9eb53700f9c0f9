/* The latch: a kernel of one thread that spins on a word in page-locked memory. Each call of latch_close gets the next
 * number, and the host opens the latch by writing the number of the last call. So nothing must be reset between two
 * uses, and the latch may be opened before its kernel runs.
 */
#include "device.h"
#include "entries.h"
#include "kernels.h"

#include <stdatomic.h>
#include <stdlib.h>

struct lab_latch {
    uint32_t closing;                      /* number of the last call of latch_close */
    struct cuda_latch_words *words;        /* host address */
    struct cuda_latch_words *device_words; /* device address */
};

struct lab_latch *lab_cuda_latch_create(struct lab_device *device)
{
    struct lab_latch *latch = calloc(1, sizeof *latch);
    void *words = NULL, *device_words = NULL;
    if (latch == NULL) {
        lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a latch");
        return NULL;
    }
    if (!lab_cuda_allocate(device, LAB_MEMORY_MAPPED, sizeof *latch->words, &words) ||
        !lab_cuda_check(device, cudaHostGetDevicePointer(&device_words, words, 0), "creating a latch")) {
        lab_cuda_free(device, LAB_MEMORY_MAPPED, words);
        free(latch);
        return NULL;
    }
    latch->words = words;
    latch->device_words = device_words;
    *latch->words = (struct cuda_latch_words){0};
    return latch;
}

void lab_cuda_latch_free(struct lab_device *device, struct lab_latch *latch)
{
    if (latch == NULL)
        return;
    lab_cuda_free(device, LAB_MEMORY_MAPPED, latch->words);
    free(latch);
}

bool lab_cuda_latch_close(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream,
                          double timeout_s)
{
    if (!lab_cuda_make_current(device))
        return false;
    uint32_t closing = latch->closing + 1;
    uint64_t timeout_ns = timeout_s > 0 ? (uint64_t)(timeout_s * 1e9) : 0;
    if (!lab_cuda_check(device, lab_cuda_launch_latch(cuda_stream_of(stream), latch->device_words, closing, timeout_ns),
                        "closing a latch"))
        return false;
    latch->closing = closing;
    return true;
}

void lab_cuda_latch_open(struct lab_device *device, struct lab_latch *latch)
{
    (void)device;
    atomic_store_explicit((_Atomic uint32_t *)&latch->words->opened, latch->closing, memory_order_release);
}

bool lab_cuda_latch_timed_out(struct lab_device *device, struct lab_latch *latch, bool *timed_out)
{
    (void)device;
    uint32_t last = atomic_load_explicit((_Atomic uint32_t *)&latch->words->timed_out, memory_order_acquire);
    *timed_out = latch->closing != 0 && last == latch->closing;
    return true;
}
