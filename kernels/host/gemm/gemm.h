/* Shared by the files of this folder. Each kernel (the API calls it a step) has a file of its own, which the build
 * compiles for float and for double (element.h); steps.c lists them.
 */
#ifndef LAB_HOST_GEMM_H
#define LAB_HOST_GEMM_H

#include "../device.h"
#include "../thread_pool.h"
#include "runtime/gemm.h"

/* Element (row, column) is start[row * down + column * across], so that `down` and `across` describe any layout. */
struct host_matrix {
    void *start;
    size_t rows, columns;
    size_t down, across;
};

/* A product c = a b, as a kernel gets it. */
struct host_gemm {
    enum lab_gemm_layout layout;
    struct host_matrix a, b, c;
    struct host_thread_pool *pool;
    size_t cores;
    size_t l1_bytes, l2_bytes, l3_bytes; /* caches: L1 and L2 per core, L3 shared by all cores */
    void *workspace;                     /* for the kernel's own use, aligned to pages */
    struct {
        void *multiply, *set_threads;
    } library; /* functions of OpenBLAS */
};

struct host_gemm_step {
    /* Loads the library that the kernel calls. NULL if it needs none. False with *error. */
    bool (*prepare)(struct host_gemm *gemm, struct lab_error *error);
    /* The size of its workspace in bytes. NULL if it needs none. */
    size_t (*workspace_bytes)(const struct host_gemm *gemm);
    /* On the compute engine's thread. */
    void (*run)(struct host_gemm *gemm);
};

/* Divides `total` units of `work` multiply-adds each among the cores. The parts are small and taken one after the
 * other, so that no core waits long for another that was interrupted. */
void lab_host_gemm_share(const struct host_gemm *gemm, size_t total, size_t work, host_range_function *function,
                         void *context);

/* --- steps.c ------------------------------------------------------------------------------------------------------ */

/* The element types FP32 and FP64, as the index of an array. */
enum { HOST_ELEMENTS = 2 };

/* Vector instruction sets, the fastest last. Vectorised kernels are compiled for each. */
enum host_instructions { HOST_BASELINE, HOST_AVX2, HOST_AVX512, HOST_INSTRUCTION_SETS };

/* Whether this build and this CPU support the instruction set. */
bool lab_host_has_instructions(enum host_instructions instructions);
enum host_instructions lab_host_best_instructions(void);

/* Does `rounds` rounds of independent multiply-adds on vectors (multiply_adds.c). Returns the number of floating-point
 * operations, two for a multiply-add. */
typedef double host_multiply_adds(size_t rounds);

/* The vectorised functions of one instruction set. */
struct host_vectors {
    const struct host_gemm_step *blocked[HOST_ELEMENTS];
    host_multiply_adds *multiply_adds[HOST_ELEMENTS];
};

extern const struct host_vectors lab_host_vectors[HOST_INSTRUCTION_SETS];

/* The kernel of a step, or NULL if the runtime does not have it for this type. `instructions`: which variant of a
 * vectorised kernel; must be supported. */
const struct host_gemm_step *lab_host_gemm_step(enum lab_gemm_step step, enum lab_gemm_type type,
                                                enum host_instructions instructions);

/* --- gemm.c ------------------------------------------------------------------------------------------------------- */

/* The product as a kernel gets it, without the workspace and the library. */
struct host_gemm lab_host_gemm_describe(struct host_device *device, const struct lab_gemm *what);

/* --- inputs.c, ceiling.c: entries of the runtime's GEMM table (runtime/gemm.h) ------------------------------------ */

struct lab_plan *lab_host_gemm_prepare_fill(struct lab_device *device, const struct lab_gemm_fill *fill);
struct lab_plan *lab_host_gemm_prepare_expected(struct lab_device *device, const struct lab_gemm_expected *expected);
struct lab_plan *lab_host_gemm_prepare_compare(struct lab_device *device, const struct lab_gemm_compare *compare);
struct lab_plan *lab_host_gemm_prepare_ceiling(struct lab_device *device, struct lab_gemm_ceiling *ceiling);

#endif
