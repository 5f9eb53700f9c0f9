/* A function that executes only multiply-adds on vector registers, in as many independent chains as the micro-kernel of
 * blocked.c has vectors of sums. Compiled for each vector instruction set. */
#include "element.h"

typedef element vector __attribute__((vector_size(LAB_VECTOR_BYTES)));

enum { LANES = sizeof(vector) / sizeof(element), CHAINS = 2 * LAB_TILE_ROWS };

host_multiply_adds LAB_NAME;

/* Executes the chains. The values oscillate and converge too slowly to become constant during a measurement: constant
 * values would draw less power, and so allow a higher clock than a real product. */
double LAB_NAME(size_t rounds)
{
    const vector factor = (vector){0} + (element)-0.999999, term = (vector){0} + (element)0.7310586;
    vector chains[CHAINS] = {0};
    for (size_t i = 0; i < CHAINS; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            chains[i][lane] = 1 / (element)(1 + i * LANES + lane);
    for (size_t round = 0; round < rounds; round++)
#pragma GCC unroll 32
        for (size_t i = 0; i < CHAINS; i++)
            chains[i] = chains[i] * factor + term;
    for (size_t i = 1; i < CHAINS; i++)
        chains[0] += chains[i];
    volatile vector result = chains[0]; /* the compiler would remove computations whose results are unused */
    (void)result;
    return 2.0 * CHAINS * LANES * (double)rounds;
}
