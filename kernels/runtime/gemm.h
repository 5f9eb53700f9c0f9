/* Matrix products C = A B, the part of the runtime seam (runtime.h) for them: in several ways of computing the same,
 * each of which a runtime has or has not, and what it takes to time and to verify them.
 *
 * Shapes: A is m x k, B is k x n, C is m x n, alpha 1, beta 0. Matrices are packed in device memory, at least 256-byte
 * aligned; A and C lie row by row. B lies row by row in layout NN, and column by column in layout TN, where the k
 * elements that a dot product runs over are neighbours in both inputs. (The names are BLAS's, for matrices that it
 * takes to lie column by column.)
 */
#ifndef LAB_GEMM_H
#define LAB_GEMM_H

#include "core/errors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_device;
struct lab_plan;

/* In the order of the ladder. */
enum lab_gemm_step {
    LAB_GEMM_NAIVE,
    LAB_GEMM_COALESCED,
    LAB_GEMM_TILED_8,
    LAB_GEMM_TILED_16,
    LAB_GEMM_TILED_32,
    LAB_GEMM_REGISTER_TILES,
    LAB_GEMM_VECTORIZED,
    LAB_GEMM_DOUBLE_BUFFERED,
    LAB_GEMM_WARP_TILED,
    LAB_GEMM_MMA,
    LAB_GEMM_WGMMA,
    LAB_GEMM_BLOCKED,
    LAB_GEMM_CUBLAS,
    LAB_GEMM_OPENBLAS,
    LAB_GEMM_STEPS
};

/* How elements are stored and multiplied. Sums are kept in fp32, those of FP64 in fp64; C has the type of the inputs.
 * TF32 is stored as fp32, of which the multiplier takes 10 bits of fraction. */
enum lab_gemm_type { LAB_GEMM_FP32, LAB_GEMM_FP64, LAB_GEMM_TF32, LAB_GEMM_BF16, LAB_GEMM_FP16, LAB_GEMM_TYPES };

enum lab_gemm_layout { LAB_GEMM_NN, LAB_GEMM_TN, LAB_GEMM_LAYOUTS };

static inline size_t lab_gemm_element_bytes(enum lab_gemm_type type)
{
    return type == LAB_GEMM_FP64 ? 8 : type == LAB_GEMM_BF16 || type == LAB_GEMM_FP16 ? 2 : 4;
}

/* Sizes go from 1 to 65536. */
struct lab_gemm {
    enum lab_gemm_step step;
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    size_t m, n, k;
    const void *a, *b;
    void *c;
};

/* What a matrix is filled with: element (r, c) of rows x columns is lab_pattern_normal or lab_pattern_digit (pattern.h)
 * of r * columns + c and `seed`, rounded to the type; or every bit of it is set (no number in any type). */
enum lab_gemm_content { LAB_GEMM_NORMALS, LAB_GEMM_DIGITS, LAB_GEMM_POISON };
struct lab_gemm_fill {
    enum lab_gemm_type type;
    enum lab_gemm_content content;
    size_t rows, columns;
    bool by_columns; /* stored column by column */
    uint64_t seed;
    void *matrix;
};

/* The exact product of the digits of seed_a (m x k) and those of seed_b (k x n), in integer arithmetic, without a look
 * at any matrix: what every step is held against. */
struct lab_gemm_expected {
    size_t m, n, k;
    uint64_t seed_a, seed_b;
    int32_t *product; /* m x n, row by row */
};

/* Compares C with that product, or only looks whether it was written. */
struct lab_gemm_compare {
    enum lab_gemm_type type;
    size_t count; /* elements */
    const void *c;
    const int32_t *product; /* NULL: elements that are no finite number are wrong */
    uint64_t *wrong; /* host memory of the caller, valid after the stream is synchronised: elements that differ from
                             * the product as rounded (to nearest, ties to even) to the type */
};

/* Nothing but multiply-adds on values that stay where they are, in registers or in shared memory, on every core or tensor
 * core, for about 5 ms: what the arithmetic of the type can do at the clock that the device then has. */
struct lab_gemm_ceiling {
    enum lab_gemm_type type;
    double operations; /* filled in: how many one enqueue does, a multiply-add counting as two */
};

/* Optional table of a runtime. Each entry makes a plan that is enqueued and released like any other; NULL with the
 * device's error set, code "unsupported" where the detail is the sentence to skip the point with. */
struct lab_runtime_gemm {
    enum lab_gemm_step reference; /* the library that other steps are held against */

    /* Whether the runtime has such a step for such a type at all, in whatever layout and on whatever device. */
    bool (*has)(enum lab_gemm_step step, enum lab_gemm_type type);
    struct lab_plan *(*prepare)(struct lab_device *device, const struct lab_gemm *gemm);
    struct lab_plan *(*prepare_fill)(struct lab_device *device, const struct lab_gemm_fill *fill);
    struct lab_plan *(*prepare_expected)(struct lab_device *device, const struct lab_gemm_expected *expected);
    struct lab_plan *(*prepare_compare)(struct lab_device *device, const struct lab_gemm_compare *compare);
    struct lab_plan *(*prepare_ceiling)(struct lab_device *device, struct lab_gemm_ceiling *ceiling);
};

#endif
