/* Cache blocking with packing and a vectorised micro-kernel, as in BLAS libraries. After K. Goto and R. van de Geijn,
 * "Anatomy of High-Performance Matrix Multiplication" (2008), in the form of F. Van Zee and R. van de Geijn, "BLIS"
 * (2015).
 *
 *   - A tile of C stays in vector registers while the micro-kernel advances along k: in each step it loads MR elements of
 *     A and NR of B and executes MR x NR multiply-adds.
 *   - A and B are packed first: copied into slivers, in the order in which the micro-kernel reads them.
 *   - The product is blocked so that the data that is used again soon stays in a cache: a sliver of B in L1, a block of A
 *     in L2, a panel of B in L3.
 *
 * The build compiles this file for each vector instruction set; at run time the best one that the CPU supports is
 * used. */
#include "element.h"

#include <string.h>

typedef element vector __attribute__((vector_size(LAB_VECTOR_BYTES)));

enum { LANES = sizeof(vector) / sizeof(element), MR = LAB_TILE_ROWS, NR = 2 * LANES };

/* One step of the outer loops: some columns of C and `depth` terms of their sums. */
struct panel {
    struct host_matrix a, b, c;   /* the parts of A, B and C; b is transposed: its rows are the columns of B */
    element *packed_a, *packed_b; /* a and b as slivers */
    size_t depth;                 /* number of terms of each sum */
    bool first;                   /* the terms are the first of the sums */
    size_t block_rows;            /* rows of A and C in a block */
    size_t strips, strip_columns; /* number of strips of B and C, columns of a strip */
};

/* --- packing ------------------------------------------------------------------------------------------------------ */

/* Copies the slivers begin <= i < end of a matrix. A sliver holds `width` rows: first element 0 of each row, then element 1
 * of each row, and so on. Rows beyond the edge of the matrix are 0. */
static inline void pack(element *to, const struct host_matrix *from, size_t width, size_t begin, size_t end)
{
    for (size_t row = begin * width; row < end * width; row += width)
        for (size_t p = 0; p < from->columns; p++)
            for (size_t line = 0; line < width; line++)
                to[row * from->columns + p * width + line] = row + line < from->rows ? *at(from, row + line, p) : 0;
}

static void pack_a(void *context, size_t begin, size_t end)
{
    struct panel *panel = context;
    pack(panel->packed_a, &panel->a, MR, begin, end);
}

static void pack_b(void *context, size_t begin, size_t end)
{
    struct panel *panel = context;
    pack(panel->packed_b, &panel->b, NR, begin, end);
}

/* --- multiplying -------------------------------------------------------------------------------------------------- */

/* Multiplies a sliver of A by a sliver of B. */
static inline void micro_kernel(element tile[MR][NR], const element *a, const element *b, size_t depth)
{
    vector sums[MR][2] = {0};
    for (size_t p = 0; p < depth; p++, a += MR, b += NR) {
        const vector left = *(const vector *)b, right = *(const vector *)(b + LANES);
#pragma GCC unroll 16
        for (size_t i = 0; i < MR; i++) {
            sums[i][0] += a[i] * left;
            sums[i][1] += a[i] * right;
        }
    }
    memcpy(tile, sums, sizeof sums);
}

/* Adds a tile to C, or stores it if its terms are the first. */
static inline void add(const struct host_matrix *c, size_t row, size_t column, element tile[MR][NR], size_t rows,
                       size_t columns, bool first)
{
    for (size_t i = 0; i < rows; i++) {
        element *to = at(c, row + i, column);
        for (size_t j = 0; j < columns; j++)
            to[j] = first ? tile[i][j] : to[j] + tile[i][j];
    }
}

/* Multiplies a block of A by a strip of B. `top` and `left` are the first row and column of the result in C. */
static void multiply_block(const struct panel *panel, size_t top, size_t left)
{
    size_t bottom = min_size(top + panel->block_rows, panel->c.rows);
    size_t right = min_size(left + panel->strip_columns, panel->c.columns);
    for (size_t column = left; column < right; column += NR) {
        for (size_t row = top; row < bottom; row += MR) {
            element tile[MR][NR];
            size_t rows = min_size(MR, bottom - row), columns = min_size(NR, right - column);
            micro_kernel(tile, panel->packed_a + row * panel->depth, panel->packed_b + column * panel->depth,
                         panel->depth);
            if (rows == MR && columns == NR)
                add(&panel->c, row, column, tile, MR, NR, panel->first);
            else
                add(&panel->c, row, column, tile, rows, columns, panel->first);
        }
    }
}

static void multiply(void *context, size_t begin, size_t end)
{
    const struct panel *panel = context;
    for (size_t unit = begin; unit < end; unit++)
        multiply_block(panel, unit / panel->strips * panel->block_rows, unit % panel->strips * panel->strip_columns);
}

/* --- blocking ----------------------------------------------------------------------------------------------------- */

/* Divides `length` into parts that are as equal as possible and not longer than `most`; returns their length, rounded
 * up to a multiple of `unit`. */
static size_t equal_parts(size_t length, size_t most, size_t unit)
{
    size_t parts = divide_up(length, most > unit ? most : unit);
    return divide_up(divide_up(length, parts), unit) * unit;
}

/* The number of terms in a panel. Like block_rows and panel_columns, it is chosen so that the data that should stay in a
 * cache fills half of it; the other half is for data that is used once. */
static size_t panel_depth(const struct host_gemm *gemm)
{
    return equal_parts(gemm->a.columns, gemm->l1_bytes / 2 / (NR * sizeof(element)), 1);
}

static size_t block_rows(const struct host_gemm *gemm)
{
    return equal_parts(gemm->c.rows, gemm->l2_bytes / 2 / (panel_depth(gemm) * sizeof(element)), MR);
}

static size_t panel_columns(const struct host_gemm *gemm)
{
    return equal_parts(gemm->c.columns, gemm->l3_bytes / 2 / (panel_depth(gemm) * sizeof(element)), NR);
}

static size_t workspace_bytes(const struct host_gemm *gemm)
{
    size_t lines = panel_columns(gemm) + divide_up(gemm->a.rows, MR) * MR;
    return lines * panel_depth(gemm) * sizeof(element);
}

/* Packs with all cores, then multiplies with all cores. There are several units of work per core, so that all finish at
 * about the same time. */
static void multiply_panel(struct host_gemm *gemm, size_t column, size_t term)
{
    enum { UNITS_PER_CORE = 8 };
    const struct host_matrix a = gemm->a, b = gemm->b, c = gemm->c;
    size_t columns = min_size(panel_columns(gemm), c.columns - column), slivers = divide_up(columns, NR);
    size_t depth = min_size(panel_depth(gemm), a.columns - term);
    size_t rows = block_rows(gemm), blocks = divide_up(c.rows, rows);
    size_t strip = divide_up(slivers, min_size(slivers, divide_up(UNITS_PER_CORE * gemm->cores, blocks))) * NR;
    struct panel panel = {
        .a = {at(&a, 0, term), a.rows, depth, a.down, a.across},
        .b = {at(&b, term, column), columns, depth, b.across, b.down},
        .c = {at(&c, 0, column), c.rows, columns, c.down, c.across},
        .packed_a = (element *)gemm->workspace + slivers * NR * depth,
        .packed_b = gemm->workspace,
        .depth = depth,
        .first = term == 0,
        .block_rows = rows,
        .strips = divide_up(columns, strip),
        .strip_columns = strip,
    };
    lab_host_gemm_share(gemm, divide_up(a.rows, MR), MR * depth, pack_a, &panel);
    lab_host_gemm_share(gemm, slivers, NR * depth, pack_b, &panel);
    lab_host_gemm_share(gemm, blocks * panel.strips, rows * strip * depth, multiply, &panel);
}

static void run(struct host_gemm *gemm)
{
    for (size_t column = 0; column < gemm->c.columns; column += panel_columns(gemm))
        for (size_t term = 0; term < gemm->a.columns; term += panel_depth(gemm))
            multiply_panel(gemm, column, term);
}

const struct host_gemm_step LAB_NAME = {.workspace_bytes = workspace_bytes, .run = run};
