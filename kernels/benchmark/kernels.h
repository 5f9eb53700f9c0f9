/* The kernels of a benchmark on one device: loads the image, launches the kernels of a workload and the one that checks
 * its result.
 */
#ifndef LAB_KERNELS_H
#define LAB_KERNELS_H

#include "benchmark/buffers.h"
#include "benchmark/check.h"
#include "benchmark/own_kernels.h"

/* The first wrong element of a result. */
struct lab_wrong_element {
    bool known;
    uint64_t index;
    uint32_t found, expected; /* bits */
};

struct lab_kernels {
    struct lab_device *device;
    struct lab_module *module;    /* NULL: `refusal` says why */
    char refusal[LAB_DETAIL_MAX]; /* why the device has no kernels */
    struct lab_own_module own;    /* the run's own kernels, which replace those of the module */
    void *found;                  /* struct lab_check_result in device memory */

    /* of the current workload */
    struct lab_module *of_workload; /* of its own image; NULL if it has none */
    size_t launch_count;
    size_t own_count; /* launches of own kernels */
    struct lab_plan *launches[LAB_STEPS_MAX];
    size_t streams[LAB_STEPS_MAX]; /* of the launches */
    size_t texture_count;
    struct lab_texture *textures[LAB_BUFFERS_MAX];
    struct lab_plan *check;               /* NULL if there is no result */
    const uint32_t *result;               /* that it checks, in device memory */
    double error, rms;                    /* the largest error that the last check found, and their root mean square */
    struct lab_wrong_element first_wrong; /* that a check of the workload found */
    struct lab_kernel_record record;      /* of the first launch; name NULL: the runtime says nothing of the kernel */
};

/* The functions return false with the device's error set. */

/* Loads the image, and the own kernels of the run (NULL: none); succeeds, with a refusal, if the device cannot load
 * kernels. Call lab_kernels_close in either case. */
bool lab_kernels_open(struct lab_kernels *kernels, struct lab_device *device, const struct lab_image *image,
                      const struct lab_own_kernels *own);
void lab_kernels_close(struct lab_kernels *kernels);

/* Prepares the kernels of a workload on buffers that have been prepared for it. Call lab_kernels_end in either case. */
bool lab_kernels_begin(struct lab_kernels *kernels, const struct lab_buffers *buffers);
void lab_kernels_end(struct lab_kernels *kernels);

/* Enqueues one repetition, the steps of stream i of the workload on lanes[i]. */
bool lab_kernels_enqueue(const struct lab_kernels *kernels, const struct lab_lane *lanes);

/* Sets *wrong to the number of wrong elements of the result, kernels->error, kernels->rms and, where the check says it
 * and it is not yet known, kernels->first_wrong; returns when this is done. */
bool lab_kernels_check(struct lab_kernels *kernels, struct lab_stream *stream, uint64_t *wrong);

/* The record of a kernel with these attributes, launched with blocks of `threads` threads. */
struct lab_kernel_record lab_kernel_record_from(const char *name, const struct lab_kernel_attributes *attributes,
                                                uint32_t threads);

/* What the runtime says of a kernel; the name is NULL if it says nothing. */
struct lab_kernel_record lab_kernel_record_of(struct lab_device *device, struct lab_kernel *kernel, const char *name,
                                              const struct lab_launch *launch);

#endif
