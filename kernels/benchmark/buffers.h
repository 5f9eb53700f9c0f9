/* The buffers of a benchmark's workloads, on one device. They are kept for later points, as is the content of
 * inputs. */
#ifndef LAB_BUFFERS_H
#define LAB_BUFFERS_H

#include "benchmark/benchmark.h"
#include "benchmark/own_kernels.h"

/* Initialise `device`, `module`, `own`, `stream` (for filling and checking) and `seed`; the rest is zero. */
struct lab_buffers {
    struct lab_device *device;
    struct lab_module *module;        /* with the kernels that fill buffers; NULL if there are none */
    const struct lab_own_module *own; /* whose variables replace those of the module; NULL: without `module` */
    struct lab_stream *stream;
    uint64_t seed;
    const struct lab_workload *workload; /* the current one */
    struct lab_allocation {
        enum lab_memory memory;
        size_t bytes;       /* 0: not allocated */
        const char *global; /* the variable of the module that it is; NULL: allocated */
        void *address;
        struct lab_buffer filled; /* the input that the memory holds; bytes 0: none */
        uint64_t seed;            /* of `filled` */
    } items[LAB_BUFFERS_MAX];     /* items[i] belongs to workload->buffers[i] */
};

/* The functions return false with the device's error set. */

/* Allocates and fills the buffers of a workload, which must outlast their use. */
bool lab_buffers_prepare(struct lab_buffers *buffers, const struct lab_workload *workload);
/* Releases all memory. */
void lab_buffers_release(struct lab_buffers *buffers);

/* The data of a buffer. */
struct lab_region lab_buffers_region(const struct lab_buffers *buffers, size_t index);

/* The content of an input. */
struct lab_expectation lab_buffers_content(const struct lab_buffers *buffers, size_t index);

/* Overwrites all outputs. */
bool lab_buffers_poison(const struct lab_buffers *buffers);

/* Compares `output` with the content that has the seed and the first element of `input`, and the kind `content`. */
bool lab_buffers_compare(const struct lab_buffers *buffers, size_t output, size_t input, enum lab_content content,
                         struct lab_mismatch *comparison);

#endif
