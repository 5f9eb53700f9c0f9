/* Helpers for the tests of matrix products: a product with its memory, its inputs and its exact result. */
#ifndef LAB_GEMM_HARNESS_H
#define LAB_GEMM_HARNESS_H

#include "host/gemm/gemm.h"
#include "support/host_harness.h"
#include "support/test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct shape {
    size_t m, n, k;
};

/* Shapes of products: single rows and columns, complete tiles, one more and one less than a tile, short and long sums,
 * several blocks of rows, several parts of C for each core. */
extern const struct shape shapes[22];
extern const enum lab_gemm_type types[2];

enum { GUARD = 256, SEED_A = 11, SEED_B = 12 };

/* A product and its memory; c has guard bytes on both sides. */
struct product {
    struct lab_device *device;
    struct lab_stream *stream;
    struct shape shape;
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    void *a, *b;
    unsigned char *guarded_c;
    int32_t *expected;
};

void *c_of(const struct product *p);
void assert_guards_untouched(const struct product *p);

/* Enqueues a plan, waits for it and releases it. */
void run_plan(struct lab_device *device, struct lab_stream *stream, struct lab_plan *plan);
void fill_matrix(const struct product *p, struct lab_gemm_fill what);
void poison_product(const struct product *p);
uint64_t wrong_elements(const struct product *p, const int32_t *product);

/* Fills a and b with small integers, `expected` with their product and c with poison: these are the first four
 * operations that write results. */
struct product open_product(struct lab_device *device, struct shape shape, enum lab_gemm_type type,
                            enum lab_gemm_layout layout);
void close_product(struct product *p);
double element_of(const struct product *p, const void *matrix, size_t i);

#endif
