/* Declarations for all files of this folder. Each kernel has its own file, which the build compiles for float and for
 * double (element.h); methods.c lists them by method (runtime/gemm.h).
 */
#ifndef LAB_HOST_GEMM_H
#define LAB_HOST_GEMM_H

#include "../device.h"
#include "../thread_pool.h"
#include "runtime/gemm.h"

/* A matrix. Element (row, column) is start[row * down + column * across], so `down` and `across` describe any
 * layout. */
struct host_matrix {
    void *start;
    size_t rows, columns;
    size_t down, across;
};

/* The product c = a b that a kernel computes. */
struct host_gemm {
    enum lab_gemm_layout layout;
    struct host_matrix a, b, c;
    struct host_thread_pool *pool;
    size_t cores;
    size_t l1_bytes, l2_bytes; /* caches of a core */
    void *workspace;           /* memory for the kernel, aligned to pages; NULL if it needs none */
    struct {
        void *multiply, *set_threads;
    } library; /* functions of OpenBLAS */
};

/* A kernel. */
struct host_gemm_method {
    /* Loads the library that the kernel calls. Returns false with *error set. NULL if the kernel needs no library. */
    bool (*prepare)(struct host_gemm *gemm, struct lab_error *error);
    /* Returns the size of the kernel's workspace in bytes. NULL if it needs none. */
    size_t (*workspace_bytes)(const struct host_gemm *gemm);
    /* Computes the product. Called on the compute engine's thread. */
    void (*run)(struct host_gemm *gemm);
};

/* Executes `function` for `total` units of work, each of `work` multiply-adds, on all cores. Each core takes one small
 * part after the other, so that no core waits long for another that was interrupted. */
void lab_host_gemm_share(const struct host_gemm *gemm, size_t total, size_t work, host_range_function *function,
                         void *context);

/* --- methods.c ---------------------------------------------------------------------------------------------------- */

/* The number of element types: LAB_GEMM_FP32 and LAB_GEMM_FP64, which are the indices of arrays of this size. */
enum { HOST_ELEMENTS = 2 };

/* Vector instruction sets, the fastest last. Vectorised kernels are compiled for each. */
enum host_instructions { HOST_BASELINE, HOST_AVX2, HOST_AVX512, HOST_INSTRUCTION_SETS };

/* Whether this build and this CPU support the instruction set. */
bool lab_host_has_instructions(enum host_instructions instructions);
/* The fastest instruction set that this build and this CPU support. */
enum host_instructions lab_host_best_instructions(void);

/* Executes `rounds` rounds of independent multiply-adds on vectors (multiply_adds.c). Returns the number of
 * floating-point operations; a multiply-add counts as two. */
typedef double host_multiply_adds(size_t rounds);

/* The vectorised functions of one instruction set. */
struct host_vectors {
    const struct host_gemm_method *blocked[HOST_ELEMENTS];
    host_multiply_adds *multiply_adds[HOST_ELEMENTS];
};

extern const struct host_vectors lab_host_vectors[HOST_INSTRUCTION_SETS];

/* The kernel of a method, or NULL if the runtime does not have it for this type. `instructions` selects the variant of
 * a vectorised kernel; the CPU must support it. */
const struct host_gemm_method *lab_host_gemm_method(const char *method, enum lab_gemm_type type,
                                                    enum host_instructions instructions);

/* --- gemm.c ------------------------------------------------------------------------------------------------------- */

/* Converts a product to the struct that kernels use; `workspace` and `library` are not set. */
struct host_gemm lab_host_gemm_describe(struct host_device *device, const struct lab_gemm *what);

/* --- inputs.c, ceiling.c: functions of the runtime's GEMM table (runtime/gemm.h) ---------------------------------- */

struct lab_plan *lab_host_gemm_prepare_fill(struct lab_device *device, const struct lab_gemm_fill *fill);
struct lab_plan *lab_host_gemm_prepare_expected(struct lab_device *device, const struct lab_gemm_expected *expected);
struct lab_plan *lab_host_gemm_prepare_compare(struct lab_device *device, const struct lab_gemm_compare *compare);
struct lab_plan *lab_host_gemm_prepare_sample(struct lab_device *device, const struct lab_gemm_sample *sample);
struct lab_plan *lab_host_gemm_prepare_ceiling(struct lab_device *device, struct lab_gemm_ceiling *ceiling);

#endif
