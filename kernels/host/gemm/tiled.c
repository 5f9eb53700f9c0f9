/* The loops of naive.c, over tiles of TILE x TILE elements: a tile of A and a tile of B are copied into small arrays,
 * which stay in the L1 cache, and multiplied. Each element that is read from memory is used TILE times.
 *
 * The build compiles this file for TILE 8, 16 and 32. at(matrix, row, column) is the address of an element. */
#include "element.h"

enum { TILE = LAB_TILE };

typedef element tile[TILE][TILE];

/* Copies the tile that begins at (row, column). Elements beyond the edge of the matrix are 0. */
static void load(tile to, const struct host_matrix *matrix, size_t row, size_t column)
{
    size_t rows = min_size(TILE, matrix->rows - row), columns = min_size(TILE, matrix->columns - column);
    for (size_t i = 0; i < TILE; i++)
        for (size_t j = 0; j < TILE; j++)
            to[i][j] = i < rows && j < columns ? *at(matrix, row + i, column + j) : 0;
}

static void store(const tile from, const struct host_matrix *matrix, size_t row, size_t column)
{
    size_t rows = min_size(TILE, matrix->rows - row), columns = min_size(TILE, matrix->columns - column);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            *at(matrix, row + i, column + j) = from[i][j];
}

static void multiply(tile c, const tile a, const tile b)
{
    for (size_t i = 0; i < TILE; i++) {
        for (size_t j = 0; j < TILE; j++) {
            element sum = c[i][j];
            for (size_t p = 0; p < TILE; p++)
                sum += a[i][p] * b[p][j];
            c[i][j] = sum;
        }
    }
}

/* Computes the bands begin <= i < end of C. A band is one row of tiles. */
static void multiply_bands(void *context, size_t begin, size_t end)
{
    const struct host_gemm *gemm = context;
    for (size_t i = begin * TILE; i < min_size(end * TILE, gemm->c.rows); i += TILE) {
        for (size_t j = 0; j < gemm->c.columns; j += TILE) {
            tile a, b, c = {0};
            for (size_t p = 0; p < gemm->a.columns; p += TILE) {
                load(a, &gemm->a, i, p);
                load(b, &gemm->b, p, j);
                multiply(c, a, b);
            }
            store(c, &gemm->c, i, j);
        }
    }
}

/* Divides the bands of C among the cores. */
static void run(struct host_gemm *gemm)
{
    size_t bands = divide_up(gemm->c.rows, TILE);
    lab_host_gemm_share(gemm, bands, TILE * gemm->c.columns * gemm->a.columns, multiply_bands, gemm);
}

const struct host_gemm_method LAB_NAME = {.run = run};
