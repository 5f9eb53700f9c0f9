/* Cache blocking with packing and a vectorised micro-kernel, as in BLAS libraries. After K. Goto and R. van de Geijn,
 * "Anatomy of High-Performance Matrix Multiplication" (2008), and F. Van Zee and R. van de Geijn, "BLIS" (2015).
 *
 *   - A tile of C, of up to MR x NR elements, stays in vector registers while the micro-kernel advances along k: in
 *     each step it loads MR elements of A and NR of B and executes MR x NR multiply-adds.
 *   - A and B are packed first: copied into slivers, in the order in which the micro-kernel reads them.
 *   - Each core computes parts of C on its own. A part is so narrow that the slivers of B which it needs stay in the
 *     core's L2 cache, and its sums are so short that a sliver of A stays in L1 while all those slivers of B pass.
 *
 * The build compiles this file for each vector instruction set; at run time the best one that the CPU supports is
 * used. */
#include "element.h"

#include <stdatomic.h>
#include <string.h>

typedef element vector __attribute__((vector_size(LAB_VECTOR_BYTES)));
/* A vector at any address of an element. */
typedef element loose_vector __attribute__((vector_size(LAB_VECTOR_BYTES), aligned(sizeof(element)), may_alias));

enum { LANES = sizeof(vector) / sizeof(element), MR = LAB_TILE_ROWS, NR = 2 * LANES };

/* A product and its division. */
struct product {
    const struct host_gemm *gemm;
    size_t depth;             /* number of terms of each sum that are added at a time */
    size_t rows, columns;     /* size of a part of C; parts at the edges are smaller */
    size_t parts_down, parts; /* parts below each other, and in all */
    size_t worker_bytes;      /* size of the workspace of a core: packed slivers of B, then one sliver of A */
    atomic_size_t next;       /* the first part that no core has taken */
};

/* --- packing ------------------------------------------------------------------------------------------------------ */

/* Returns x[half], y[half], x[half + 1], y[half + 1] and so on. */
static inline vector interleave(vector x, vector y, size_t half)
{
#if __has_builtin(__builtin_shuffle) /* GCC, which does not find this instruction for the loop below */
    __typeof__(x < y) indices;
    for (size_t i = 0; i < LANES; i++)
        indices[i] = (__typeof__(indices[0]))(half + i / 2 + i % 2 * LANES);
    return __builtin_shuffle(x, y, indices);
#else
    vector result = x;
    for (size_t i = 0; i < LANES; i++)
        result[i] = i % 2 == 0 ? x[half + i / 2] : y[half + i / 2];
    return result;
#endif
}

/* Transposes LANES x LANES elements. Each round interleaves the first half of the lines with the second half, which
 * moves one bit of an element's line number to its lane number. */
static inline void transpose(vector lines[LANES])
{
#pragma GCC unroll 4
    for (size_t round = 1; round < LANES; round *= 2) {
        vector next[LANES] = {0};
#pragma GCC unroll 16
        for (size_t i = 0; i < LANES / 2; i++) {
            next[2 * i] = interleave(lines[i], lines[i + LANES / 2], 0);
            next[2 * i + 1] = interleave(lines[i], lines[i + LANES / 2], LANES / 2);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < LANES; i++)
            lines[i] = next[i];
    }
}

/* Packs `count` <= LANES lines of `depth` contiguous elements, `stride` elements apart: element p of each line goes to
 * to[p * width]. Writes LANES elements for each p; those beyond `count` are arbitrary. */
static void pack_lines(element *to, size_t width, const element *from, size_t stride, size_t count, size_t depth)
{
    size_t p = 0;
    for (; p + LANES <= depth; p += LANES) {
        vector lines[LANES];
#pragma GCC unroll 16
        for (size_t line = 0; line < LANES; line++)
            lines[line] = *(const loose_vector *)(from + min_size(line, count - 1) * stride + p);
        transpose(lines);
#pragma GCC unroll 16
        for (size_t line = 0; line < LANES; line++)
            *(loose_vector *)(to + (p + line) * width) = lines[line];
    }
    for (; p < depth; p++)
        for (size_t line = 0; line < count; line++)
            to[p * width + line] = from[line * stride + p];
}

/* Packs a sliver of A: for each term, one element of each row. The last rows are packed first, because a vector that
 * is wider than the rest of the sliver overwrites the next term's elements of the first rows. */
static void pack_a(element *to, const struct host_matrix *a, size_t row, size_t rows, size_t term, size_t depth)
{
    for (size_t i = (rows - 1) / LANES * LANES + LANES; i > 0; i -= LANES)
        pack_lines(to + i - LANES, rows, at(a, row + i - LANES, term), a->down, min_size(LANES, rows - (i - LANES)),
                   depth);
}

/* Packs a sliver of B whose columns are contiguous: for each term, `width` elements of its row. Elements beyond
 * `columns` are arbitrary. */
static void pack_columns(element *to, size_t width, const element *from, size_t stride, size_t columns, size_t depth)
{
    for (size_t i = 0; i < width; i += LANES)
        pack_lines(to + i, width, from + i * stride, stride, min_size(LANES, columns - i), depth);
}

/* Packs a B whose rows are contiguous. */
static void pack_rows(element *to, size_t width, const element *from, size_t stride, size_t columns, size_t depth)
{
    for (size_t p = 0; p < depth; p++) {
        if (columns == NR)
            memcpy(to + p * NR, from + p * stride, NR * sizeof *to);
        else
            memcpy(to + p * width, from + p * stride, columns * sizeof *to);
    }
}

/* Packs the slivers of a part of B. It proceeds in blocks of few rows, because B is then read along its rows, from few
 * pages of memory at a time. */
static void pack_b(element *to, const struct host_matrix *b, size_t term, size_t depth, size_t column, size_t columns)
{
    enum { ROWS = 16 };
    size_t step = b->across == 1 ? ROWS : depth;
    for (size_t p = 0; p < depth; p += step) {
        for (size_t j = 0; j < columns; j += NR) {
            size_t count = min_size(NR, columns - j), width = divide_up(count, LANES) * LANES;
            element *sliver = to + j * depth + p * width;
            if (b->across == 1)
                pack_rows(sliver, width, at(b, term + p, column + j), b->down, count, min_size(step, depth - p));
            else
                pack_columns(sliver, width, at(b, term, column + j), b->across, count, depth);
        }
    }
}

/* --- multiplying -------------------------------------------------------------------------------------------------- */

/* Where the micro-kernel stores a tile. */
struct tile {
    element *c;
    size_t down;         /* distance of two rows in elements */
    size_t columns;      /* number of columns that C has from here */
    const element *next; /* a row of A that will be packed next */
    bool first;          /* the terms are the first of the sums: they are stored, not added */
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Stores or adds the first `columns` < LANES sums. */
static __attribute__((noinline)) void store_some(element *to, vector sums, size_t columns, bool first)
{
    element lanes[LANES];
    memcpy(lanes, &sums, sizeof lanes);
    for (size_t i = 0; i < columns; i++)
        to[i] = first ? lanes[i] : to[i] + lanes[i];
}

ALWAYS_INLINE void store(element *to, vector sums, size_t columns, bool first)
{
    if (columns < LANES) {
        store_some(to, sums, columns, first);
        return;
    }
    if (!first)
        sums += *(loose_vector *)to;
    *(loose_vector *)to = sums;
}

/* Multiplies a sliver of A by a sliver of B. `rows` and `vectors`, the number of vectors in a row of the tile, are
 * constants in each inlined copy, so that all sums are registers. Meanwhile the tile's part of C is fetched into the L1
 * cache and a row of A into L2, a little every few steps: fetching all at once would delay the loads of the slivers. */
ALWAYS_INLINE void micro_kernel(size_t rows, size_t vectors, const element *a, const element *b, size_t depth,
                                const struct tile *tile)
{
    enum { STEPS_PER_FETCH = 8, L2_CACHE = 2 };
    vector sums[MR][2] = {0};
    const element *ahead = tile->c;
    for (size_t p = 0; p < depth; p++, a += rows, b += vectors * LANES) {
        if (p % STEPS_PER_FETCH == 0) {
            __builtin_prefetch(tile->next + p, 0, L2_CACHE);
            if (p < STEPS_PER_FETCH * rows) {
                __builtin_prefetch(ahead, 1);
                __builtin_prefetch(ahead + (vectors - 1) * LANES, 1);
                ahead += tile->down;
            }
        }
        const vector left = *(const vector *)b, right = *(const vector *)(b + (vectors - 1) * LANES);
#pragma GCC unroll 16
        for (size_t i = 0; i < rows; i++) {
            sums[i][0] += a[i] * left;
            if (vectors == 2)
                sums[i][1] += a[i] * right;
        }
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < rows; i++) {
        store(tile->c + i * tile->down, sums[i][0], tile->columns, tile->first);
        if (vectors == 2)
            store(tile->c + i * tile->down + LANES, sums[i][1], tile->columns - LANES, tile->first);
    }
}

/* Calls the copy of the micro-kernel for this number of rows, 1 to MR, and of columns. */
static void multiply_tile(size_t rows, const element *a, const element *b, size_t depth, const struct tile *tile)
{
#define CASE(n)                                                                                                        \
    case (n):                                                                                                          \
        if ((n) <= MR && tile->columns > LANES)                                                                        \
            micro_kernel((n) <= MR ? (n) : MR, 2, a, b, depth, tile);                                                  \
        else if ((n) <= MR)                                                                                            \
            micro_kernel((n) <= MR ? (n) : MR, 1, a, b, depth, tile);                                                  \
        break
    _Static_assert(MR <= 14, "there is no case for more rows");
    switch (rows) {
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
        CASE(9);
        CASE(10);
        CASE(11);
        CASE(12);
        CASE(13);
        CASE(14);
    }
#undef CASE
}

/* What the packed slivers of B are multiplied with: the rows of A up to `bottom`, and their terms from `term` on. */
struct panel {
    const struct host_gemm *gemm;
    element *packed_b;
    size_t left, columns, bottom; /* the columns and the end of the part of C */
    size_t term, depth;
};

/* Multiplies a sliver of A by all packed slivers of B. The first tiles fetch a row each of the next sliver of A. */
static void multiply_sliver(const struct panel *panel, const element *packed_a, size_t row, size_t rows)
{
    const struct host_gemm *gemm = panel->gemm;
    for (size_t j = 0; j < panel->columns; j += NR) {
        const struct tile tile = {
            .c = at(&gemm->c, row, panel->left + j),
            .down = gemm->c.down,
            .columns = panel->columns - j,
            .first = panel->term == 0,
            .next = at(&gemm->a, min_size(row + rows + j / NR, panel->bottom - 1), panel->term),
        };
        multiply_tile(rows, packed_a, panel->packed_b + j * panel->depth, panel->depth, &tile);
    }
}

/* Computes the part of C that begins at (top, left). The slivers of A are equally high, as a last one of few rows would
 * not keep the arithmetic units busy. */
static void multiply_part(const struct product *product, element *workspace, size_t top, size_t left)
{
    const struct host_gemm *gemm = product->gemm;
    size_t rows = min_size(product->rows, gemm->c.rows - top), height = divide_up(rows, divide_up(rows, MR));
    size_t columns = min_size(product->columns, gemm->c.columns - left);
    element *packed_a = workspace + product->columns * product->depth;
    for (size_t term = 0; term < gemm->a.columns; term += product->depth) {
        size_t depth = min_size(product->depth, gemm->a.columns - term);
        const struct panel panel = {gemm, workspace, left, columns, top + rows, term, depth};
        pack_b(panel.packed_b, &gemm->b, term, depth, left, columns);
        for (size_t row = top; row < panel.bottom; row += height) {
            size_t count = min_size(height, panel.bottom - row);
            pack_a(packed_a, &gemm->a, row, count, term, depth);
            multiply_sliver(&panel, packed_a, row, count);
        }
    }
}

/* Lets each core take one part of C after the other. */
static void multiply(void *context, size_t begin, size_t end)
{
    struct product *product = context;
    for (size_t worker = begin; worker < end; worker++) {
        char *workspace = (char *)product->gemm->workspace + worker * product->worker_bytes;
        size_t part;
        while ((part = atomic_fetch_add_explicit(&product->next, 1, memory_order_relaxed)) < product->parts)
            multiply_part(product, (element *)(void *)workspace, part % product->parts_down * product->rows,
                          part / product->parts_down * product->columns);
    }
}

/* --- division ----------------------------------------------------------------------------------------------------- */

/* The number of parts of C that there should be at least: one for each core, up to four in a large product, so that no
 * core waits long for another that was interrupted. Small parts would be packed too often. */
static size_t parts_wanted(const struct host_gemm *gemm)
{
    enum { LARGE = 256 * 256, PARTS_PER_CORE = 4 };
    size_t large_parts = gemm->c.rows * gemm->c.columns / gemm->cores / LARGE;
    return gemm->cores == 1 ? 1 : gemm->cores * (large_parts < 1 ? 1 : min_size(large_parts, PARTS_PER_CORE));
}

/* Sets the size of a part, which has at most `most` columns. Of the divisions into `wanted` parts, as many for each
 * core, it takes the one with the least rows and columns to pack for each part. */
static void divide_c(struct product *product, size_t most)
{
    size_t m = product->gemm->c.rows, n = product->gemm->c.columns, wanted = parts_wanted(product->gemm);
    size_t fewest = divide_up(n, most), least = SIZE_MAX;
    for (size_t across = fewest; across <= (fewest > wanted ? fewest : wanted); across++) {
        size_t rows = divide_up(m, divide_up(wanted, across)), columns = divide_up(divide_up(n, across), NR) * NR;
        bool uneven = across < wanted && wanted % across != 0;
        if (uneven || rows + columns >= least)
            continue;
        product->rows = rows;
        product->columns = columns;
        least = rows + columns;
    }
    product->parts_down = divide_up(m, product->rows);
    product->parts = product->parts_down * divide_up(n, product->columns);
}

/* Divides a product so that a sliver of A fills half of the L1 cache, and the slivers of B of a part half of the L2
 * cache; the other half is for data that is used once. */
static struct product divide(const struct host_gemm *gemm)
{
    enum { PAGE = 4096 }; /* no two cores write the same cache line, and all slivers are aligned */
    struct product product = {.gemm = gemm};
    size_t longest = gemm->l1_bytes / 2 / (MR * sizeof(element));
    product.depth = divide_up(gemm->a.columns, divide_up(gemm->a.columns, longest));
    size_t slivers = gemm->l2_bytes / 2 / (product.depth * NR * sizeof(element));
    divide_c(&product, slivers > 0 ? slivers * NR : NR);
    size_t elements = (product.columns + MR) * product.depth + LANES;
    product.worker_bytes = divide_up(elements * sizeof(element), PAGE) * PAGE;
    return product;
}

static size_t workspace_bytes(const struct host_gemm *gemm)
{
    return gemm->cores * divide(gemm).worker_bytes;
}

static void run(struct host_gemm *gemm)
{
    struct product product = divide(gemm);
    size_t work = gemm->c.rows * gemm->c.columns * gemm->a.columns;
    lab_host_gemm_share(gemm, gemm->cores, work / gemm->cores + 1, multiply, &product);
}

const struct host_gemm_method LAB_NAME = {.workspace_bytes = workspace_bytes, .run = run};
