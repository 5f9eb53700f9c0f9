/* A person's own kernels in a run: compiled from an edited source of the experiment, and used instead of the
 * experiment's kernels of the same names. Buffers, arguments, counters and the check of the result are those of the
 * experiment.
 */
#ifndef LAB_OWN_KERNELS_H
#define LAB_OWN_KERNELS_H

#include "measure/run.h"
#include "runtime/module.h"

/* The kernels of the experiment `kernel` as they were compiled with some values of its macros. */
struct lab_own_variant {
    const json_t *macros; /* {name: value} of those that are axes */
    const char *refusal;  /* why the compiler rejected it; NULL: it did not */
    struct lab_own_entry {
        struct lab_image image;
        const char *name; /* of the kernel in the image */
    } own, reference;     /* `reference` has no name where there is none */
};

struct lab_own_kernels {
    const char *step;       /* of the source that was edited (struct lab_source); "": none */
    struct lab_image image; /* of an edited source */
    /* For the experiment `kernel`: the kernels as compiled with each combination of macros. */
    size_t variant_count;
    const struct lab_own_variant *variants;
    uint32_t block[3]; /* threads per block of their launches; {0}: as the experiment has them */
    uint32_t grid[3];  /* blocks; {0}: follows from the block, or as the experiment has it */
};

/* Own kernels on a device. Without any, which {0} is, every function below finds none. */
struct lab_own_module {
    struct lab_device *device;
    const struct lab_own_kernels *kernels;
    struct lab_module *module;
};

/* Loads the own kernels of a run; NULL: it has none. Returns false with the device's error set. Call
 * lab_own_module_close in either case. */
bool lab_own_module_open(struct lab_own_module *own, struct lab_device *device, const struct lab_own_kernels *kernels);
void lab_own_module_close(struct lab_own_module *own);

/* Sets *kernel to the own kernel of that name; NULL: there is none. Returns false with the device's error set. */
bool lab_own_module_find(const struct lab_own_module *own, const char *name, struct lab_kernel **kernel);

/* Sets *address and *bytes to those of the own variable of that name; NULL: there is none. Returns false with the
 * device's error set. */
bool lab_own_module_global(const struct lab_own_module *own, const char *name, void **address, size_t *bytes);

/* Changes the launch of an own kernel as the run asks for. `items`: threads that the launch needs; the grid is computed
 * from it and the block. 0: it cannot be computed. Returns false with the device's error set if the run gives a block
 * without a grid, and the grid cannot be computed. */
bool lab_own_module_launch(const struct lab_own_module *own, const char *name, uint64_t items,
                           struct lab_launch *launch);

/* Whether a point is one of those that measure the edited source. */
bool lab_own_kernels_apply(const struct lab_own_kernels *kernels, const struct lab_experiment *experiment,
                           const struct lab_point *point);

/* Sets the error of a text without the kernel `name`, which the experiment launches for the edited source. Returns
 * false. */
bool lab_own_kernels_not_found(const struct lab_own_kernels *kernels, const char *name, struct lab_error *error);

#endif
