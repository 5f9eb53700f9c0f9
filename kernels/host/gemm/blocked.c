/* The product as libraries compute it, after K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix
 * Multiplication" (2008), in the form that F. Van Zee and R. van de Geijn gave it, "BLIS" (2015).
 *
 *   - A tile of C stays in vector registers while the micro-kernel runs along k: at each step it loads ROWS numbers of A
 *     and COLUMNS of B, and does ROWS x COLUMNS multiply-adds with them.
 *   - A and B are first packed: copied into slivers, in just the order in which the micro-kernel reads them.
 *   - The product is cut so that each cache keeps what is used again soonest: the first level a sliver of B, the second
 *     a block of A, the third a panel of B.
 *
 * The build compiles this text for each set of vector instructions; the best one that the CPU has is taken. */
#include "element.h"

#include <string.h>

typedef element vector __attribute__((vector_size(LAB_VECTOR_BYTES)));

enum { LANES = sizeof(vector) / sizeof(element), ROWS = LAB_TILE_ROWS, COLUMNS = 2 * LANES };

/* A panel of the product: `depth` terms of the sums of some columns of C. */
struct panel {
    struct host_matrix a, b, c; /* b transposed: its rows are the columns */
    element *packed_a, *packed_b;
    size_t depth;
    bool first;        /* of the sums' terms */
    size_t block_rows; /* of A and C */
    size_t strips, strip_columns;
};

/* --- packing ------------------------------------------------------------------------------------------------------ */

/* A sliver is `width` rows side by side; there are zeros in it for rows beyond the edge of the matrix. */
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
    pack(panel->packed_a, &panel->a, ROWS, begin, end);
}

static void pack_b(void *context, size_t begin, size_t end)
{
    struct panel *panel = context;
    pack(panel->packed_b, &panel->b, COLUMNS, begin, end);
}

/* --- multiplying -------------------------------------------------------------------------------------------------- */

/* A sliver of A times a sliver of B. */
static inline void micro_kernel(element tile[ROWS][COLUMNS], const element *a, const element *b, size_t depth)
{
    vector sums[ROWS][2] = {0};
    for (size_t p = 0; p < depth; p++, a += ROWS, b += COLUMNS) {
        const vector left = *(const vector *)b, right = *(const vector *)(b + LANES);
#pragma GCC unroll 16
        for (size_t i = 0; i < ROWS; i++) {
            sums[i][0] += a[i] * left;
            sums[i][1] += a[i] * right;
        }
    }
    memcpy(tile, sums, sizeof sums);
}

/* Adds a tile to C, or puts it there if its terms are the first. */
static inline void add(const struct host_matrix *c, size_t row, size_t column, element tile[ROWS][COLUMNS], size_t rows,
                       size_t columns, bool first)
{
    for (size_t i = 0; i < rows; i++) {
        element *to = at(c, row + i, column);
        for (size_t j = 0; j < columns; j++)
            to[j] = first ? tile[i][j] : to[j] + tile[i][j];
    }
}

/* A block of A times a strip of B. */
static void multiply_block(const struct panel *panel, size_t top, size_t left)
{
    size_t bottom = smaller(top + panel->block_rows, panel->c.rows);
    size_t right = smaller(left + panel->strip_columns, panel->c.columns);
    for (size_t column = left; column < right; column += COLUMNS) {
        for (size_t row = top; row < bottom; row += ROWS) {
            element tile[ROWS][COLUMNS];
            size_t rows = smaller(ROWS, bottom - row), columns = smaller(COLUMNS, right - column);
            micro_kernel(tile, panel->packed_a + row * panel->depth, panel->packed_b + column * panel->depth,
                         panel->depth);
            if (rows == ROWS && columns == COLUMNS)
                add(&panel->c, row, column, tile, ROWS, COLUMNS, panel->first);
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

/* --- cutting ------------------------------------------------------------------------------------------------------ */

/* The length of parts that are as equal as can be: none longer than `most`, but for rounding up to whole units. */
static size_t equal_parts(size_t length, size_t most, size_t unit)
{
    size_t parts = divide_up(length, most > unit ? most : unit);
    return divide_up(divide_up(length, parts), unit) * unit;
}

/* Half of a cache is for what is to stay in it, the other half for what passes through. */
static size_t panel_depth(const struct host_gemm *gemm)
{
    return equal_parts(gemm->a.columns, gemm->l1_bytes / 2 / (COLUMNS * sizeof(element)), 1);
}

static size_t block_rows(const struct host_gemm *gemm)
{
    return equal_parts(gemm->c.rows, gemm->l2_bytes / 2 / (panel_depth(gemm) * sizeof(element)), ROWS);
}

static size_t panel_columns(const struct host_gemm *gemm)
{
    return equal_parts(gemm->c.columns, gemm->l3_bytes / 2 / (panel_depth(gemm) * sizeof(element)), COLUMNS);
}

static size_t room(const struct host_gemm *gemm)
{
    size_t lines = panel_columns(gemm) + divide_up(gemm->a.rows, ROWS) * ROWS;
    return lines * panel_depth(gemm) * sizeof(element);
}

/* Packs, waits for all cores, multiplies. Units of work are so many that no core is left over. */
static void multiply_panel(struct host_gemm *gemm, size_t column, size_t term)
{
    enum { UNITS_PER_CORE = 8 };
    const struct host_matrix a = gemm->a, b = gemm->b, c = gemm->c;
    size_t columns = smaller(panel_columns(gemm), c.columns - column), slivers = divide_up(columns, COLUMNS);
    size_t depth = smaller(panel_depth(gemm), a.columns - term);
    size_t rows = block_rows(gemm), blocks = divide_up(c.rows, rows);
    size_t strip = divide_up(slivers, smaller(slivers, divide_up(UNITS_PER_CORE * gemm->cores, blocks))) * COLUMNS;
    struct panel panel = {
        .a = {at(&a, 0, term), a.rows, depth, a.down, a.across},
        .b = {at(&b, term, column), columns, depth, b.across, b.down},
        .c = {at(&c, 0, column), c.rows, columns, c.down, c.across},
        .packed_a = (element *)gemm->room + slivers * COLUMNS * depth,
        .packed_b = gemm->room,
        .depth = depth,
        .first = term == 0,
        .block_rows = rows,
        .strips = divide_up(columns, strip),
        .strip_columns = strip,
    };
    lab_host_gemm_share(gemm, divide_up(a.rows, ROWS), ROWS * depth, pack_a, &panel);
    lab_host_gemm_share(gemm, slivers, COLUMNS * depth, pack_b, &panel);
    lab_host_gemm_share(gemm, blocks * panel.strips, rows * strip * depth, multiply, &panel);
}

static void run(struct host_gemm *gemm)
{
    for (size_t column = 0; column < gemm->c.columns; column += panel_columns(gemm))
        for (size_t term = 0; term < gemm->a.columns; term += panel_depth(gemm))
            multiply_panel(gemm, column, term);
}

const struct host_gemm_step LAB_NAME = {.room = room, .run = run};
