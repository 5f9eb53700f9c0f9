/* Declarations shared by the files of matmul: matmul.c (descriptor), steps.c (the steps and their kernels), points.c
 * (axes, points, plan), shapes.c (the axes m, n and k), library_steps.h (what the page shows of the libraries' steps),
 * product.c (matrices, kernel and exact result of one product), ceilings.c (the roofline's ceilings), run.c (the work
 * and the metrics of each point).
 */
#ifndef LAB_MATMUL_H
#define LAB_MATMUL_H

#include "measure/run.h"

struct matmul_kernel; /* kernels.h */

/* A step. On a CUDA device it is one of `kernels` or, where it has none, a call of the runtime's method of its name
 * (runtime/gemm.h), which all steps of a host device are. */
struct matmul_step {
    const char *name;
    const struct matmul_kernel *kernels; /* ends with name NULL */
    /* Bit sets by backend: bit t is set if the runtime's method multiplies type t (enum lab_gemm_type). 0: no
     * method. */
    unsigned cuda, host;
    bool reference; /* the vendor's library, with which the other steps are compared */
};

/* The steps, each adding one optimisation to those before it, the libraries last; then the choice "all" of the
 * parameter, which is no step, and an entry whose name is NULL. */
enum { MATMUL_STEPS = 14, MATMUL_ALL = MATMUL_STEPS };
extern const struct matmul_step matmul_steps[MATMUL_STEPS + 2];

/* The largest m, n or k. */
enum { MATMUL_SIZE_MAX = 65536 };

/* The axes, in the order of matmul_axes. A ceiling has a value on `variant`; a product has one on all other axes. */
enum { MATMUL_VARIANT, MATMUL_M, MATMUL_N, MATMUL_K, MATMUL_TYPE, MATMUL_LAYOUT, MATMUL_STEP, MATMUL_LOAD };
LAB_RUN(matmul);

/* The values of `variant`: memory bandwidth, then arithmetic throughput of a type. */
enum { MATMUL_READ, MATMUL_WRITE, MATMUL_COPY, MATMUL_CORES, MATMUL_TENSOR_CORES };

/* Names of the types and layouts, in the order of enum lab_gemm_type and lab_gemm_layout; each array ends with NULL. */
extern const char *const matmul_types[];
extern const char *const matmul_layouts[];

/* Type, layout and sizes of a product C = A B. All steps compute the product of a problem, and are compared with the
 * same reference. */
struct matmul_problem {
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    size_t m, n, k;
};

/* The problem of a point. */
struct matmul_problem matmul_problem_of(const struct lab_point *point);

/* The step of that name; NULL: there is none. */
const struct matmul_step *matmul_step_find(const char *name);

/* The reference for devices of this backend. */
const struct matmul_step *matmul_reference(const struct lab_device_facts *device);

/* Whether devices of this backend have a step for the type. */
bool matmul_has(const struct lab_device_facts *device, const struct matmul_step *step, enum lab_gemm_type type);

/* Floating-point operations of a product, 2 m n k: a multiply-add counts as two. */
double matmul_operations(const struct matmul_problem *problem);

/* The minimum number of bytes moved: A and B read once, C written once. */
double matmul_bytes(const struct matmul_problem *problem);

/* Whether a step computes products of the type on tensor cores. */
bool matmul_on_tensor_cores(const struct lab_device_facts *device, const struct matmul_step *step,
                            enum lab_gemm_type type);
/* The types that are multiplied on the cores, and on the tensor cores, as bits. */
unsigned matmul_types_of(const struct lab_device_facts *device, bool tensor);

/* The theoretical peak of the type on the cores or the tensor cores, in GFLOP/s; value NAN if it is not known. */
struct lab_peak matmul_peak(const struct lab_device_facts *device, bool tensor, enum lab_gemm_type type);

/* Bytes of each array that is read or written to measure memory bandwidth. */
uint64_t matmul_ceiling_bytes(const struct lab_device_facts *device);

/* The roof of a product whose arithmetic has this peak, in GFLOP/s: the smaller of the peak and of arithmetic intensity
 * times the peak of the memory; value NAN if one of them is not known. */
struct lab_peak matmul_roof(const struct lab_device_facts *device, const struct matmul_problem *problem,
                            const struct lab_peak *peak);

/* Whether the request has a sweep over sizes: m, n or k contains 0. */
bool matmul_has_sweep(const struct lab_parameters *given);

/* The JSON pointer to the largest number of the request: a value of m, n or k, or max_size if the sweep goes
 * further. */
const char *matmul_largest_size(const struct lab_parameters *given);

/* The values of the axes m, n and k (struct lab_axis). `matmul_same_size` changes no value: as `round` it has a size
 * that is in a list and in the sweep measured once. */
void matmul_list_m(const struct lab_points_request *request, const struct lab_point *point,
                   struct lab_axis_values *values);
void matmul_list_n(const struct lab_points_request *request, const struct lab_point *point,
                   struct lab_axis_values *values);
void matmul_list_k(const struct lab_points_request *request, const struct lab_point *point,
                   struct lab_axis_values *values);
int64_t matmul_same_size(const struct lab_point *point, int64_t value);

#endif
