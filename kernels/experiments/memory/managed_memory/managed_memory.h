/* What managed-memory computes, compiled for device and host, and declarations shared by its files: managed_memory.c
 * (descriptor and workload of a point), run.c (pages and who accesses them), predict.c (times), managed_memory.cu and
 * managed_memory_host.c (the kernels).
 */
#ifndef LAB_MANAGED_MEMORY_H
#define LAB_MANAGED_MEMORY_H

#include "runtime/pattern.h"

/* Element i of the result: its index if parameters[0] is 1 and the kernel wrote it, else one more than what the kernel
 * read. */
LAB_HOST_DEVICE uint32_t managed_memory_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return parameters[0] != 0 ? (uint32_t)i : lab_pattern_word(i, seed) + 1;
}

#ifndef __CUDACC__
#include "runtime/runtime.h"

struct lab_run;

enum { MANAGED_MEMORY_AXIS_VARIANT, MANAGED_MEMORY_AXIS_BYTES };

/* Where the pages are before each sample. */
enum managed_memory_pages {
    MANAGED_MEMORY_AS_LEFT,   /* by the sample before; by the host, which filled them, before the first one */
    MANAGED_MEMORY_UNTOUCHED, /* nowhere: the pages are newly allocated */
    MANAGED_MEMORY_AT_HOST,
    MANAGED_MEMORY_AT_DEVICE
};

struct managed_memory_variant {
    const char *name;
    enum managed_memory_pages before;
    enum lab_advice advice;
    bool by_host;    /* the host accesses them, otherwise a kernel */
    bool prefetched; /* they are moved before they are accessed */
    bool moves;      /* they are on the side that does not access them: there is one side only on host devices */
    bool copied;     /* no managed memory: the kernel has its own, to which the input is copied */
};

/* In the order of the parameter's choices; ends with name NULL. */
extern const struct managed_memory_variant managed_memory_variants[];

/* The buffers of a workload: the pages, or the page-locked input of a copy; what the kernel writes; the destination of
 * the copy. */
enum { MANAGED_MEMORY_PAGES, MANAGED_MEMORY_OUT, MANAGED_MEMORY_COPY };

/* The seconds of an access of `bytes` bytes, in pages of the host of `page_bytes` bytes; NAN if a rate of the device is
 * not known. */
double managed_memory_predict(const struct lab_device_facts *device, const struct managed_memory_variant *variant,
                              double bytes, double page_bytes);

/* Why a run on the device would disturb others; NULL if it would not. `processes` uses the device, LAB_UNKNOWN: not
 * known. */
const char *managed_memory_shared(const struct lab_device_facts *device, int64_t processes);

bool managed_memory_run(struct lab_run *run);
#endif

#endif
