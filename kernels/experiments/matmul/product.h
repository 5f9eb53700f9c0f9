/* One product of matrices as it is timed and verified: its memory, its inputs, and the exact result that every step is
 * held against.
 */
#ifndef LAB_MATMUL_PRODUCT_H
#define LAB_MATMUL_PRODUCT_H

#include "matmul.h"

struct matmul_product {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_stream *stream;
    uint64_t seed;
    size_t a_bytes, b_bytes, c_bytes, expected_bytes; /* that the memory below holds */
    void *a, *b, *c;
    int32_t *expected;
    struct matmul_group group;
    bool known; /* `expected` holds the product of the group's sizes */
    struct lab_plan *plan;
    size_t poisonings; /* of the plan; the first is of the timed inputs, later ones are of those that are verified */
};

/* False with run->error set; to be closed all the same. */
bool matmul_product_open(struct matmul_product *product, struct lab_run *run);
void matmul_product_close(struct matmul_product *product);

/* Makes memory ready for a group, and its exact product: in integer arithmetic on the device, held in its turn against
 * dot products in double on the CPU (matmul_product_stride). False with run->error set. */
bool matmul_product_set(struct matmul_product *product, const struct matmul_group *group);

/* Which elements of the exact product the CPU checks: 0, stride, 2 * stride and so on, row by row. 1 for a small product. */
size_t matmul_product_stride(const struct matmul_group *group);

/* Makes a step's plan; NULL in product->plan with device->error set where it cannot be, code "unsupported" where that
 * is a reason to skip it. Releases the plan of the step before. */
bool matmul_product_prepare(struct matmul_product *product, enum lab_gemm_step step);

/* For struct lab_work; the context is the product. The first call of `poison` after a plan was made fills in normal
 * random numbers, the later ones whole numbers; `verify` looks for elements that are no numbers, or compares all with
 * the exact product. */
bool matmul_product_enqueue(void *context);
bool matmul_product_poison(void *context);
bool matmul_product_verify(void *context, uint64_t *wrong);

#endif
