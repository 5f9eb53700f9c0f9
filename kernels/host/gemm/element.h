/* What the build sets where it compiles one text several times (CMakeLists.txt): the kind of element, the name under
 * which the result is known, and what else the text is to be compiled for. The values here are for tools that read a
 * file by itself.
 */
#ifndef LAB_HOST_ELEMENT_H
#define LAB_HOST_ELEMENT_H

#include "gemm.h"

#ifndef LAB_ELEMENT
#define LAB_ELEMENT float
#define LAB_NAME lab_host_gemm_by_itself
#define LAB_TILE 16         /* tiled.c: rows and columns of a tile */
#define LAB_VECTOR_BYTES 32 /* blocked.c, multiply_adds.c: of a vector register */
#define LAB_TILE_ROWS 6     /* blocked.c, multiply_adds.c: of a tile of C in such registers */
#endif

typedef LAB_ELEMENT element; /* float or double */

/* Where element (row, column) of a matrix lies. */
static inline element *at(const struct host_matrix *matrix, size_t row, size_t column)
{
    return (element *)matrix->start + row * matrix->down + column * matrix->across;
}

static inline size_t smaller(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* x / y, rounded up. */
static inline size_t divide_up(size_t x, size_t y)
{
    return (x + y - 1) / y;
}

#endif
