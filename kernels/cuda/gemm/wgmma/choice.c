/* Chooses how wgmma divides a product. */
#include "choice.h"

#include "table.h"

#include <inttypes.h>
#include <stdio.h>

#define SIZE(name_, rows, bn_, consumers, cluster_m_, cluster_n_, blocks_)                                             \
    [name_] = {#name_, (rows) * (consumers), bn_, cluster_m_, cluster_n_, blocks_},
static const struct wgmma_shape_size sizes[WGMMA_SHAPE_COUNT] = {WGMMA_SHAPES(SIZE)};
#undef SIZE

enum { WIDTH = 128 }; /* bytes along k in a step */

const struct wgmma_shape_size *lab_cuda_wgmma_shape_size(enum wgmma_shape shape)
{
    return &sizes[shape];
}

static uint32_t divide_up(uint32_t x, uint32_t y)
{
    return (x + y - 1) / y;
}

/* --- schedules ---------------------------------------------------------------------------------------------------- */

/* The clusters that fit on the device at the same time. */
static uint32_t clusters_that_fit(const struct wgmma_product *product, const struct wgmma_shape_size *size)
{
    uint32_t fit = product->multiprocessors * size->blocks / (size->cluster_m * size->cluster_n);
    return fit > 0 ? fit : 1;
}

/* Launching as many clusters as fit gives a maximum number of tiles per cluster. Returns the smallest number of clusters that
 * does not raise this maximum. All clusters are then busy until the end, and unused multiprocessors draw less power, so the
 * others run faster. */
static uint32_t even_clusters(uint32_t tiles, uint32_t fit)
{
    return divide_up(tiles, divide_up(tiles, fit));
}

struct wgmma_schedule lab_cuda_wgmma_schedule(const struct wgmma_product *product, const struct wgmma_choice *choice)
{
    const struct wgmma_shape_size *size = &sizes[choice->shape];
    uint32_t fit = clusters_that_fit(product, size);
    struct wgmma_schedule s = {
        .rows = divide_up(product->m, size->cluster_m * size->bm),
        .columns = divide_up(product->n, size->cluster_n * size->bn),
        .steps = divide_up(product->k * (uint32_t)lab_gemm_element_bytes(product->type), WIDTH),
        .band = choice->band,
    };
    uint32_t tiles = s.rows * s.columns;
    if (choice->split == 1 || (choice->split == WGMMA_STREAM && tiles % fit == 0)) {
        s.clusters = even_clusters(tiles, fit);
    } else if (choice->split == WGMMA_STREAM) {
        /* All clusters have equal shares of the tiles that do not fill the device, and of as many more as fit. */
        s.shared = tiles > fit ? tiles % fit + fit : tiles;
        s.clusters = fit < s.shared * s.steps ? fit : s.shared * s.steps;
    } else {
        s.shared = tiles;
        s.clusters = tiles * (choice->split < s.steps ? choice->split : s.steps);
    }
    return s;
}

/* --- the rule ----------------------------------------------------------------------------------------------------- */

/* Estimates, in units of the time that a multiprocessor takes for a step of a tile of 64 x 64. Small tiles
 * read each element of A and B more often, so their multiplications take longer. */
static const double cost_of_start = 24; /* of a kernel: until the first stage is there, and the last tile is stored */
static const double cost_of_passing = 1.5; /* for each 64 x 64 sums that are passed on and added */
static const double cost_of_storing = 1;   /* of 64 x 64 elements, before the next tile is multiplied */

static double cost_of_step(const struct wgmma_shape_size *size)
{
    double blocks = (double)(size->bm * size->bn) / (64 * 64);
    double shared = 0.25 / size->bm * 64 + 0.25 / size->bn * 64; /* reading shared memory, relative to multiplying */
    double global = size->cluster_m * size->cluster_n > 1 ? 0 : 0.02;
    return blocks * (0.75 + shared + global) * size->blocks;
}

/* The estimated time of a product. */
static double time_of(const struct wgmma_product *product, const struct wgmma_choice *choice)
{
    const struct wgmma_shape_size *size = &sizes[choice->shape];
    struct wgmma_schedule s = lab_cuda_wgmma_schedule(product, choice);
    double blocks = (double)(size->bm * size->bn) / (64 * 64), passed = 0, steps;
    uint32_t fit = clusters_that_fit(product, size), whole = wgmma_whole_tiles(&s);
    if (s.shared == 0) {
        steps = (double)divide_up(whole, s.clusters) * s.steps;
    } else if (choice->split == WGMMA_STREAM) {
        steps = (double)s.shared * s.steps / s.clusters + (double)whole / s.clusters * s.steps;
        passed = 2;
    } else {
        uint32_t parts = s.clusters / s.shared;
        steps = (double)divide_up(s.clusters, fit) * divide_up(s.steps, parts);
        passed = parts - 1;
    }
    return cost_of_start + steps * cost_of_step(size) + blocks * (cost_of_storing + passed * cost_of_passing);
}

static struct wgmma_choice choose_by_rule(const struct wgmma_product *product)
{
    static const uint32_t splits[] = {1, 2, 4, 8, 16, 32, WGMMA_STREAM};
    enum { BAND = 8 };
    struct wgmma_choice best = {.shape = (enum wgmma_shape)0, .split = 1, .band = BAND};
    double least = time_of(product, &best);
    for (int shape = 0; shape < WGMMA_SHAPE_COUNT; shape++)
        for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
            const struct wgmma_choice choice = {(enum wgmma_shape)shape, splits[i], BAND};
            double time = time_of(product, &choice);
            best = time < least ? choice : best;
            least = time < least ? time : least;
        }
    return best;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

struct wgmma_choice lab_cuda_wgmma_choose(const struct wgmma_product *product)
{
    for (size_t i = 0; i < sizeof wgmma_table / sizeof *wgmma_table; i++) {
        const struct wgmma_row *row = &wgmma_table[i];
        if (row->type == product->type && row->layout == product->layout && row->m == product->m &&
            row->n == product->n && row->k == product->k && product->multiprocessors == WGMMA_TABLE_MULTIPROCESSORS)
            return row->choice;
    }
    return choose_by_rule(product);
}

void lab_cuda_wgmma_describe(const struct wgmma_choice *choice, char *text, size_t size)
{
    const struct wgmma_shape_size *shape = &sizes[choice->shape];
    uint32_t cluster = shape->cluster_m * shape->cluster_n;
    int used =
        snprintf(text, size, "wgmma %" PRIu32 "x%" PRIu32 "%s", shape->bm, shape->bn, cluster > 1 ? " by 2" : "");
    if (choice->split == WGMMA_STREAM)
        snprintf(text + used, size - (size_t)used, ", stream-k");
    else if (choice->split > 1)
        snprintf(text + used, size - (size_t)used, ", k in %" PRIu32 " parts", choice->split);
}
