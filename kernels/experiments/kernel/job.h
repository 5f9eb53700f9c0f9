/* One of the two kernels at a point: its buffers, what fills them, and its launch. */
#ifndef LAB_KERNEL_JOB_H
#define LAB_KERNEL_JOB_H

#include "benchmark/buffers.h"
#include "benchmark/kernels.h"
#include "definition.h"

struct kernel_job {
    struct lab_device *device;
    struct lab_module *fillers; /* with the kernel that fills buffers */
    const struct kernel_definition *definition;
    struct lab_workload workload;
    struct lab_buffers buffers;
    struct lab_kernels kernels;
    struct lab_plan *fills[LAB_BUFFERS_MAX];              /* of the buffers with elements, in their order */
    const struct kernel_argument *given[LAB_BUFFERS_MAX]; /* whose elements are given; NULL: the buffer is filled */
    bool written[LAB_BUFFERS_MAX];                        /* the kernel writes to the buffer */
    unsigned char structs[LAB_ARGUMENTS_MAX][KERNEL_STRUCT_MAX];
    struct lab_point point;
};

/* The functions return false with the device's error set, unless they say otherwise. */

/* `stream` and `fillers` outlast the job. Call kernel_job_close in either case. */
bool kernel_job_open(struct kernel_job *job, struct lab_device *device, struct lab_stream *stream,
                     struct lab_module *fillers, const struct kernel_definition *definition, uint64_t seed);
void kernel_job_close(struct kernel_job *job);

/* Prepares the job of a workload, which is job->workload, with the kernel of `entry` at a point, and fills all buffers.
 * Call kernel_job_end in either case. `entry` is not read where the workload has no launch. */
bool kernel_job_begin(struct kernel_job *job, const struct lab_point *point, const struct lab_own_entry *entry);
void kernel_job_end(struct kernel_job *job);

/* Fills the buffers to which the kernel writes: outputs with random data, others with their content. Returns when it is
 * done. */
bool kernel_job_reset(struct kernel_job *job);

/* Fills all buffers, textures and variables as kernel_job_begin does, with random data of another seed. Returns when it
 * is done. */
bool kernel_job_renew(struct kernel_job *job, uint64_t seed);

/* Copies what the kernel has written to surfaces into their buffers. Returns when it is done. */
bool kernel_job_collect(struct kernel_job *job);

/* Copies `bytes` bytes to the beginning of a buffer. Returns when it is done. */
bool kernel_job_put(struct kernel_job *job, size_t buffer, const void *data, size_t bytes);

/* Copies `bytes` bytes of a buffer, from byte `offset` on. Returns when it is done. */
bool kernel_job_get(const struct kernel_job *job, size_t buffer, size_t offset, void *data, size_t bytes);

#endif
