/* A job offloaded to a device: its inputs are copied from host memory to device memory, a kernel computes, and the
 * result is copied back. Experiments cut such a job into chunks, or divide it among devices.
 */
#ifndef LAB_OFFLOAD_H
#define LAB_OFFLOAD_H

#include "benchmark/buffers.h"
#include "measure/run.h"

/* Parameters of a job's arrays; `which` completes "Bytes of each input array". */
#define LAB_OFFLOAD_BYTES_PARAMETER(which, least, sizes)                                                               \
    .name = "bytes", .title = "Array size",                                                                            \
    .text = "Bytes of each input array" which ", rounded down to a multiple of 4 (kernel average: of 1024).",          \
    .unit = "B", .type = LAB_TYPE_SIZE, .count = LAB_ONE_OR_LIST, .minimum = (least), .maximum = 1099511627776.0,      \
    .fallback = (sizes)
#define LAB_OFFLOAD_MEMORY_PARAMETER                                                                                   \
    .name = "memory", .title = "Host memory",                                                                          \
    .text =                                                                                                            \
        "pinned: page-locked, copies are asynchronous; pageable: the driver stages each copy through a buffer of its " \
        "own, and the call blocks.",                                                                                   \
    .type = LAB_TYPE_CHOICE, .count = LAB_ONE_OR_LIST, .choices = lab_offload_memories, .fallback = "[\"pinned\"]"

enum lab_offload_memory { LAB_OFFLOAD_PAGEABLE, LAB_OFFLOAD_PINNED };
extern const char *const lab_offload_memories[];

/* The kind of memory that a value of the axis "memory" stands for. */
enum lab_memory lab_offload_memory_of(int64_t value);

enum { LAB_OFFLOAD_BLOCK = 256 }; /* threads per block, where no parameter says how many */

/* The kernels of the jobs (offload.cu, offload_host.c). */
extern const struct lab_image lab_offload_image;

/* What is computed, on arrays of 4-byte elements of equal size. */
struct lab_offload_kernel {
    const char *name;               /* of the kernel in the image */
    size_t inputs;                  /* number of input arrays, 1 or 2 */
    bool in_place;                  /* on the device, the result replaces the input */
    size_t unit;                    /* bytes; what is copied or computed by itself consists of whole units */
    enum lab_content input, result; /* result: not of pairs (pairs.h) */
    double operations, core_s;      /* of an element, for each unit of weight: operations; seconds on a core of a CPU */
};

extern const struct lab_offload_kernel
    lab_offload_waves,     /* `weight` sines and cosines per element, to which it adds sin^2 + cos^2 = 1 */
    lab_offload_average,   /* mean of two inputs over windows */
    lab_offload_increment, /* adds a constant */
    lab_offload_pairs;     /* combines each element with all `weight` elements of the second input, its partners */

/* The arrays of a job. */
struct lab_offload_shape {
    const struct lab_offload_kernel *kernel;
    enum lab_memory memory; /* of the host's arrays: LAB_MEMORY_PAGEABLE or LAB_MEMORY_PINNED */
    size_t bytes;           /* of each array; of whole units */
    size_t margin;          /* bytes that the inputs have besides in host memory, at their end */
    size_t partners;        /* lab_offload_pairs: the number of elements of the second input */
    uint64_t first;         /* index of the first element in an array of which this one is a part */
};

/* Whether two shapes are equal in kernel, memory and bytes. */
bool lab_offload_same(const struct lab_offload_shape *a, const struct lab_offload_shape *b);

/* The largest number of bytes up to `bytes` that consists of whole units. */
size_t lab_offload_whole_units(const struct lab_offload_kernel *kernel, size_t bytes);

/* Describes the buffers of a job. */
void lab_offload_describe(const struct lab_offload_shape *shape, struct lab_workload *workload);

/* The arrays of a job on a device, on host and device, and its kernel. Must not be moved. */
struct lab_offload {
    struct lab_device *device;
    struct lab_module *module;
    struct lab_kernel *kernel;
    struct lab_offload_shape shape;
    struct lab_workload workload;
    struct lab_buffers buffers;
};

/* The functions return false with the device's error set. */

/* Allocates the arrays, fills the inputs on `stream`, and loads the kernel. Input i has the seed `seed` + i. The
 * error's code is "unsupported" if the device cannot load kernels. Call lab_offload_close in either case. */
bool lab_offload_open(struct lab_offload *offload, struct lab_device *device, struct lab_stream *stream, uint64_t seed,
                      const struct lab_offload_shape *shape);
/* Releases the arrays and the kernel, whose prepared launches must have been released; allowed for `{0}`. */
void lab_offload_close(struct lab_offload *offload);

/* Enqueue a copy of an input to the device, of the result to the host: `bytes` bytes from byte `start` of the array on.
 * The copy in reads `offset` bytes further on, at most the margin. */
bool lab_offload_copy_in(const struct lab_offload *offload, struct lab_stream *stream, size_t input, size_t start,
                         size_t offset, size_t bytes);
bool lab_offload_copy_out(const struct lab_offload *offload, struct lab_stream *stream, size_t start, size_t bytes);

/* Prepares the kernel on `bytes` bytes from byte `start` on, which are whole units and at least one; waves and pairs
 * have a weight of at least 1. The launch has a thread for each element, in blocks of `block` threads; that of pairs
 * has blocks of its own (pairs.h). Returns NULL with the device's error set; otherwise the caller releases the plan. */
struct lab_plan *lab_offload_prepare(const struct lab_offload *offload, size_t start, size_t bytes, uint32_t weight,
                                     uint32_t block);

/* The result in host memory. */
struct lab_region lab_offload_result(const struct lab_offload *offload);

/* Overwrites the result and all arrays on the device, so that leftovers of an earlier job cannot pass verification. The
 * inputs get other values that are valid for the kernel. */
bool lab_offload_poison(const struct lab_offload *offload);

/* Compares the result with what the kernel must compute from the inputs; pairs: with all partners. */
bool lab_offload_verify(const struct lab_offload *offload, struct lab_mismatch *comparison);

/* --- the kernel's weight ------------------------------------------------------------------------------------------ */

struct lab_offload_search {
    uint32_t weight_max;
    bool coarse; /* rounds to 2^k or 3 * 2^k, so that repeated runs on a machine use the same weight */
    void *context;
    /* Sets the seconds that the kernel takes with `weight`, and those that it should take. Returns false with
     * run->error set. */
    bool (*time)(void *context, uint32_t weight, double *kernel_s, double *wanted_s);
};

/* Finds the weight at which the kernel takes the wanted time, once per run (METHOD.md 20). Times the kernel with the
 * weight 1 and, if it then is too fast, with larger ones. Returns false with run->error set; code "cancelled" after a
 * cancel. */
bool lab_offload_find_weight(struct lab_run *run, const struct lab_offload_shape *shape,
                             const struct lab_offload_search *search, uint32_t *weight);

/* --- estimates ---------------------------------------------------------------------------------------------------- */

/* Estimated seconds of a copy, and of the kernel on an array of `bytes` bytes. */
double lab_offload_copy_seconds(size_t bytes);
double lab_offload_kernel_seconds(const struct lab_offload_kernel *kernel, size_t bytes, uint32_t weight,
                                  const struct lab_device_facts *device);

/* Adds a point to the estimated duration: the job, with its baseline if `baseline_s` is not 0; the passes that fill,
 * poison and check its arrays, of `bytes` bytes together; one series of samples (series.h), and the jobs that are
 * traced. */
void lab_offload_add_point(struct lab_estimate *estimate, const struct lab_parameters *parameters, double job_s,
                           double baseline_s, size_t bytes, bool compute);

#endif
