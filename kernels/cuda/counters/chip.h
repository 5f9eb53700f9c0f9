/* The hardware counters of a GPU as CUPTI knows them: those that the driver offers to this process, and how the chip
 * names them. Needs nothing of CUDA but a context. */
#ifndef LAB_CUDA_CHIP_H
#define LAB_CUDA_CHIP_H

#include "core/errors.h"
#include "core/hardware_counters.h"
#include "profiler_library.h"

#include <stdint.h>

/* A block of bytes that CUPTI fills. */
struct cuda_image {
    uint8_t *bytes; /* from malloc */
    size_t size;
};

struct cuda_chip {
    struct cuda_profiler_library cupti;
    CUcontext context;
    bool initialized; /* CUPTI's profiler is, which is counted for the process */
    const char *name;
    struct cuda_image availability;
    const char *metrics[LAB_HARDWARE_COUNTER_COUNT]; /* the chip's metric of each counter; NULL: it has none */
};

/* Asks for the counters of a context, which must be current, on device `ordinal`; takes about a second. `path` is the
 * library in place of CUPTI; NULL: CUPTI. Returns false with *error set, code "unsupported" with what to do. In either
 * case lab_cuda_chip_close releases what was opened. */
bool lab_cuda_chip_open(struct cuda_chip *chip, CUcontext context, size_t ordinal, const char *path,
                        struct lab_error *error);
/* The context must still exist. */
void lab_cuda_chip_close(struct cuda_chip *chip);

/* --- for selection.c and session.c -------------------------------------------------------------------------------- */

/* Returns true for CUPTI_SUCCESS, else sets *error. */
bool lab_cuda_chip_check(const struct cuda_chip *chip, struct lab_error *error, CUptiResult result, const char *doing);
bool lab_cuda_image_allocate(struct cuda_image *image, size_t size, struct lab_error *error);
/* An object of CUPTI in which metrics are chosen; NULL with *error set. */
CUpti_Profiler_Host_Object *lab_cuda_chip_host_open(const struct cuda_chip *chip, struct lab_error *error);
/* NULL is allowed and does nothing. */
void lab_cuda_chip_host_close(const struct cuda_chip *chip, CUpti_Profiler_Host_Object *host);

#endif
