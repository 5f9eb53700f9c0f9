/* Matrix multiplication C = A B (GEMM): an optional table of the runtime (runtime.h). It offers the runtime's own
 * methods: libraries, and kernels that are not images (module.h) because they need code of the host. For timing and
 * verifying any product it also offers inputs, the exact product, a comparison, and the measured arithmetic peak.
 *
 * Shapes: A is m x k, B is k x n, C is m x n, alpha 1, beta 0. Matrices are packed in device memory, aligned to at
 * least 256 bytes. A and C are row-major. B is row-major in layout NN and column-major in layout TN, in which the k
 * elements of a dot product are contiguous in both inputs. (The names are those of BLAS, which takes its matrices as
 * column-major.)
 */
#ifndef LAB_GEMM_H
#define LAB_GEMM_H

#include "core/errors.h"
#include "runtime/module.h"
#include "runtime/pattern.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_device;
struct lab_plan;

/* How elements are stored and multiplied. Sums accumulate in fp32, for FP64 in fp64. C has the type of the inputs, for
 * FP8 BF16. TF32 is stored as fp32; the multiplier uses 10 bits of its fraction. FP8 is e4m3: 4 bits of exponent, 3 of
 * fraction, up to 448. */
enum lab_gemm_type {
    LAB_GEMM_FP32,
    LAB_GEMM_FP64,
    LAB_GEMM_TF32,
    LAB_GEMM_BF16,
    LAB_GEMM_FP16,
    LAB_GEMM_FP8,
    LAB_GEMM_TYPES
};

enum lab_gemm_layout { LAB_GEMM_NN, LAB_GEMM_TN, LAB_GEMM_LAYOUTS };

static inline size_t lab_gemm_element_bytes(enum lab_gemm_type type)
{
    return type == LAB_GEMM_FP64                            ? 8
           : type == LAB_GEMM_BF16 || type == LAB_GEMM_FP16 ? 2
           : type == LAB_GEMM_FP8                           ? 1
                                                            : 4;
}

/* The type of C for inputs of a type. */
static inline enum lab_gemm_type lab_gemm_result_type(enum lab_gemm_type inputs)
{
    return inputs == LAB_GEMM_FP8 ? LAB_GEMM_BF16 : inputs;
}

/* One product. m, n and k are from 1 to 65536. */
struct lab_gemm {
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    size_t m, n, k;
    const void *a, *b;
    void *c;
};

/* Fills a matrix. LAB_GEMM_NORMAL and LAB_GEMM_SMALL_INTS: element (r, c) is lab_pattern_normal or
 * lab_pattern_small_int (pattern.h) of index r * columns + c and `seed`, rounded to the type, in both storage
 * orders. LAB_GEMM_POISON: every bit is set, which is a NaN in every type. */
enum lab_gemm_content { LAB_GEMM_NORMAL, LAB_GEMM_SMALL_INTS, LAB_GEMM_POISON };
struct lab_gemm_fill {
    enum lab_gemm_type type;
    enum lab_gemm_content content;
    size_t rows, columns;
    bool column_major; /* stored in column-major order */
    uint64_t seed;
    void *matrix;
};

/* Computes the exact product of the LAB_GEMM_SMALL_INTS of seed_a (m x k) and of seed_b (k x n) in integer
 * arithmetic. It is computed from the seeds and reads no matrix, so it is independent of the products
 * that are verified against it. */
struct lab_gemm_expected {
    size_t m, n, k;
    uint64_t seed_a, seed_b;
    int32_t *product; /* m x n, row-major, device memory */
};

/* Compares C with the exact product, or only checks that all elements of C are finite. */
struct lab_gemm_compare {
    enum lab_gemm_type type; /* of C */
    size_t count;            /* elements */
    const void *c;
    const int32_t *product; /* the exact product; NULL: only elements that are not finite are wrong */
    uint64_t *wrong;        /* host memory of the caller, valid after the stream is synchronised: the number of elements
                             * that differ from the product rounded (to nearest, ties to even) to the type */
};

/* Compares sampled elements of C with dot products of the matrices A and B as they are stored, computed in double. */
struct lab_gemm_sample {
    struct lab_gemm gemm;
    size_t stride;   /* elements 0, stride, 2 * stride and so on are compared, counted row by row */
    uint64_t *wrong; /* host memory of the caller, valid after the stream is synchronised: the number of finite
                           * elements whose error is larger than lab_gemm_error_max */
};

/* The largest error of an element of C that is not wrong, for inputs whose products have random signs. `dot` is the
 * exact dot product of k terms and `squares` the sum of the squares of its terms.
 *
 * If every addition errs by a random share of at most u of its result, the sum errs by about 0.4 u sqrt(k squares) (N.
 * Higham and T. Mary, "Sharper Probabilistic Backward Error Analysis for Basic Linear Algebra Kernels with Random
 * Data", 2020); 8 times the square root is 20 standard deviations. For fp32, u is 2^-24. Inputs that are rounded to the
 * 10 bits of tf32 err by 2.9e-4 sqrt(squares): 600 / sqrt(k) times the limit of fp32, so most elements are wrong at
 * every k up to 65536. Tensor cores truncate where they add (M. Fasi et al., "Numerical Behavior of NVIDIA Tensor
 * Cores", 2021): u is 2^-22. They use tf32 inputs rounded or truncated to 10 bits: an error of up to 2^-10 of each. For
 * fp8 they keep about 14 bits of a sum (DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024, 3.3.2): u is 2^-13. bf16 and
 * fp16 results are rounded to 8 and 11 significant bits, fp16 to multiples of 2^-24 at least. */
LAB_HOST_DEVICE double lab_gemm_error_max(enum lab_gemm_type type, double k, double dot, double squares)
{
    const double bit = 1.0 / 1024; /* 2^-10 */
    double sum = type == LAB_GEMM_FP64   ? bit * bit * bit * bit * bit / 8
                 : type == LAB_GEMM_FP32 ? bit * bit / 16
                 : type == LAB_GEMM_FP8  ? bit / 8
                                         : bit * bit / 4;
    double input = type == LAB_GEMM_TF32 ? bit : 0;
    double result = type == LAB_GEMM_BF16 || type == LAB_GEMM_FP8 ? bit * 4 * fabs(dot)
                    : type == LAB_GEMM_FP16                       ? bit / 2 * fabs(dot) + bit * bit / 16
                                                                  : 0;
    return 8 * (sum * sqrt(k) + input) * sqrt(squares) + result;
}

/* The measured arithmetic peak (the roofline's compute ceiling): every core or tensor core does nothing but
 * multiply-adds for about 5 ms, on operands that stay in registers or shared memory. The measured rate is the highest
 * for the type's arithmetic at the clock that the device has under this load. */
struct lab_gemm_ceiling {
    enum lab_gemm_type type;
    bool tensor; /* of the tensor cores, which fp64 has besides its cores; fp32 has none, smaller types no others */
    double operations; /* output: arithmetic operations of one enqueue; a multiply-add counts as two */
};

/* The kernel that computes a product, and how it divides it. */
struct lab_gemm_kernel {
    char name[64]; /* "wgmma 128x256 by 2, k in 4 parts" */
    uint32_t threads;
    struct lab_kernel_attributes attributes;
};

/* Optional table of a runtime. Each prepare function makes a plan that is enqueued and released like any other
 * (runtime.h). It returns NULL with the device's error set; if its code is "unsupported", the point is skipped and its
 * detail is reported as the reason. The last argument need not outlive the call; prepare_ceiling writes to it. */
struct lab_runtime_gemm {
    /* Prepares a product by a method of the runtime. CUDA: "cublas"; "mma", tensor cores through mma.sync; "wgmma",
     * tensor cores through WGMMA, operands loaded by TMA (compute capability 9.0). Host: "openblas"; "blocked", packed
     * and blocked for the caches, with vector instructions; "naive"; "tiled-8", "tiled-16" and "tiled-32", loops over
     * tiles of so many rows and columns. The code is "unsupported" for other methods, and for products that the method
     * cannot compute. */
    struct lab_plan *(*prepare)(struct lab_device *device, const char *method, const struct lab_gemm *gemm);
    /* Sets *kernel to what is known of the kernel of a plan made by `prepare`. Returns false if nothing is: of
     * libraries and of host devices. NULL in a runtime that knows of none. */
    bool (*describe)(struct lab_device *device, struct lab_plan *plan, struct lab_gemm_kernel *kernel);
    struct lab_plan *(*prepare_fill)(struct lab_device *device, const struct lab_gemm_fill *fill);
    struct lab_plan *(*prepare_expected)(struct lab_device *device, const struct lab_gemm_expected *expected);
    struct lab_plan *(*prepare_compare)(struct lab_device *device, const struct lab_gemm_compare *compare);
    struct lab_plan *(*prepare_sample)(struct lab_device *device, const struct lab_gemm_sample *sample);
    struct lab_plan *(*prepare_ceiling)(struct lab_device *device, struct lab_gemm_ceiling *ceiling);
};

#endif
