/* The macros that the build defines to compile a source file several times (CMakeLists.txt): the element type, the name
 * of the object that the file defines, and tile and vector sizes. The values here are for tools that read a single
 * file.
 */
#ifndef LAB_HOST_ELEMENT_H
#define LAB_HOST_ELEMENT_H

#include "gemm.h"

#ifndef LAB_ELEMENT
#define LAB_ELEMENT float
#define LAB_NAME lab_host_gemm_single_file
#define LAB_TILE 16         /* tiled.c: rows and columns of a tile */
#define LAB_VECTOR_BYTES 32 /* blocked.c, multiply_adds.c: size of a vector register */
#define LAB_TILE_ROWS 6     /* blocked.c, multiply_adds.c: rows of the tile of C in registers */
#endif

typedef LAB_ELEMENT element; /* float or double */

/* The address of element (row, column) of a matrix. */
static inline element *at(const struct host_matrix *matrix, size_t row, size_t column)
{
    return (element *)matrix->start + row * matrix->down + column * matrix->across;
}

static inline size_t min_size(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* x / y, rounded up. */
static inline size_t divide_up(size_t x, size_t y)
{
    return (x + y - 1) / y;
}

#endif
