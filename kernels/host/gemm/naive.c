/* The textbook product: an element of C is the dot product of a row of A and a column of B.
 *
 * `element` is float or double: the build compiles this file for both. at(matrix, row, column) is the address of an
 * element. */
#include "element.h"

/* Computes the rows begin <= i < end of C. */
static void multiply_rows(void *context, size_t begin, size_t end)
{
    const struct host_gemm *gemm = context;
    const struct host_matrix a = gemm->a, b = gemm->b, c = gemm->c;
    for (size_t i = begin; i < end; i++) {
        for (size_t j = 0; j < c.columns; j++) {
            element sum = 0;
            for (size_t p = 0; p < a.columns; p++)
                sum += *at(&a, i, p) * *at(&b, p, j);
            *at(&c, i, j) = sum;
        }
    }
}

/* Divides the rows of C among the cores. */
static void run(struct host_gemm *gemm)
{
    lab_host_gemm_share(gemm, gemm->c.rows, gemm->c.columns * gemm->a.columns, multiply_rows, gemm);
}

const struct host_gemm_method LAB_NAME = {.run = run};
