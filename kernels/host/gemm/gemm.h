/* Between the files of this folder: each step of the ladder is a file of its own, which the build compiles once for each
 * kind of element (element.h); gemm.c knows them all.
 */
#ifndef LAB_HOST_GEMM_H
#define LAB_HOST_GEMM_H

#include "../internal.h"
#include "runtime/gemm.h"

/* Element (row, column) lies at start[row * down + column * across]: that is all that a layout is. */
struct host_matrix {
    void *start;
    size_t rows, columns;
    size_t down, across;
};

/* A product on its way to a step: c = a b. */
struct host_gemm {
    enum lab_gemm_layout layout;
    struct host_matrix a, b, c;
    struct host_team *team; /* of cores */
    size_t cores;
    size_t l1_bytes, l2_bytes, l3_bytes; /* caches: of a core, of a core, of all cores */
    void *room;                          /* memory for the step's own use, aligned to pages */
    struct {
        void *multiply, *set_threads;
    } library; /* functions of one that computes the product */
};

struct host_gemm_step {
    /* Finds a library; NULL where none is needed. False with *error. */
    bool (*prepare)(struct host_gemm *gemm, struct lab_error *error);
    /* How many bytes of room it wants; NULL for none. */
    size_t (*room)(const struct host_gemm *gemm);
    /* On the compute engine. */
    void (*run)(struct host_gemm *gemm);
};

/* Shares `total` units out among the cores, of which each makes `work` multiply-adds; cores take many small parts one
 * after the other, so that none waits long for another that was held up. */
void lab_host_gemm_share(const struct host_gemm *gemm, size_t total, size_t work, host_part *part, void *context);

/* --- steps.c ------------------------------------------------------------------------------------------------------ */

/* Elements are of the types FP32 and FP64: these index arrays of so many. */
enum { HOST_ELEMENTS = 2 };

/* Sets of instructions for vectors, the better ones behind; what is written in vectors is compiled for each. */
enum host_instructions { HOST_BASELINE, HOST_AVX2, HOST_AVX512, HOST_INSTRUCTION_SETS };

/* Whether this build and this CPU have them. */
bool lab_host_instructions_are_there(enum host_instructions instructions);
enum host_instructions lab_host_best_instructions(void);

/* Does independent multiply-adds on vectors, the same number in each of `rounds`; returns how many operations that made,
 * a multiply-add counting as two (multiply_adds.c). */
typedef double host_multiply_adds(size_t rounds);

/* What is written in vectors. */
struct host_vectors {
    const struct host_gemm_step *blocked[HOST_ELEMENTS];
    host_multiply_adds *multiply_adds[HOST_ELEMENTS];
};

extern const struct host_vectors lab_host_vectors[HOST_INSTRUCTION_SETS];

/* NULL where the runtime has no such step for such elements. `instructions`, which are there, are for steps that are
 * written in vectors. */
const struct host_gemm_step *lab_host_gemm_step(enum lab_gemm_step step, enum lab_gemm_type type,
                                                enum host_instructions instructions);

/* --- gemm.c ------------------------------------------------------------------------------------------------------- */

/* False with the device's error set, where there can be no such thing. */
bool lab_host_gemm_check_type(struct lab_device *device, enum lab_gemm_type type);
bool lab_host_gemm_check_size(struct lab_device *device, size_t size);
bool lab_host_gemm_check_memory(struct lab_device *device, const void *start, size_t bytes);

/* All of it but what the step makes ready. */
struct host_gemm lab_host_gemm_describe(struct host_device *device, const struct lab_gemm *what);

/* --- inputs.c, ceiling.c ------------------------------------------------------------------------------------------ */

struct lab_plan *lab_host_gemm_prepare_fill(struct lab_device *device, const struct lab_gemm_fill *fill);
struct lab_plan *lab_host_gemm_prepare_expected(struct lab_device *device, const struct lab_gemm_expected *expected);
struct lab_plan *lab_host_gemm_prepare_compare(struct lab_device *device, const struct lab_gemm_compare *compare);
struct lab_plan *lab_host_gemm_prepare_ceiling(struct lab_device *device, struct lab_gemm_ceiling *ceiling);

#endif
