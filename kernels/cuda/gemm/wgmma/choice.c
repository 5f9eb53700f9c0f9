/* Chooses how wgmma divides a product. */
#include "choice.h"

#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SIZE(name_, types_, rows, bn_, consumers_, cluster_m_, cluster_n_, blocks_)                                    \
    [name_] = {#name_, types_, (rows) * (consumers_), bn_, consumers_, cluster_m_, cluster_n_, blocks_},
static const struct wgmma_shape_size sizes[WGMMA_SHAPE_COUNT] = {WGMMA_SHAPES(SIZE)};
#undef SIZE

enum { WIDTH = 128 }; /* bytes along k in a step */

const struct wgmma_shape_size *lab_cuda_wgmma_shape_size(enum wgmma_shape shape)
{
    return &sizes[shape];
}

bool lab_cuda_wgmma_shape_is_for(enum wgmma_shape shape, enum lab_gemm_type type)
{
    return sizes[shape].types != (type == LAB_GEMM_FP64 ? WGMMA_NOT_FP64 : WGMMA_ONLY_FP64);
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

/* Launching as many clusters as fit gives a maximum number of tiles per cluster. Returns the smallest number of
 * clusters that does not raise this maximum. Fewer clusters then wait for the last ones, and unused multiprocessors
 * draw less power, so the others run faster. */
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

/* Estimates in arbitrary units, of which only the ratios matter. Fitted to what gpulab-tune-gemm --fit measured on an
 * H100, of squares and of thin, deep and odd products: the choice by these estimates takes 1 % longer than the fastest
 * one, on average of 60 products of fp64, and 5 % of 62 of bf16, of which four account for half. Fitted to three
 * quarters of them, they lose 2 and 6 % on the rest. `costs_of_others` was fitted to bf16 alone; its costs of
 * multiplying, reading and storing are those of an earlier fit to 86 products of bf16, fp16, tf32 and fp8. The fit is a
 * random search for the least average loss. */
struct costs {
    double multiplying; /* 64 x 64 sums by a step */
    double alone;       /* the fraction of it that is added, divided by the number of consumers on the multiprocessor */
    double reading;     /* 64 rows of A, or columns of B, for 64 x 64 sums, from shared memory */
    double least_step;  /* the least time of a step: stages do not arrive faster */
    double storing;     /* 64 x 64 elements of the last tile */
    double passing; /* 64 x 64 sums to another block, for each of the additions that follow one another (schedule.h) */
    double waiting; /* for each of these additions */
    double split_start, stream_start; /* once, if tiles are divided */
};
static const struct costs costs_of_fp64 = {.multiplying = 3.3,
                                           .alone = 0.08,
                                           .reading = 0.22,
                                           .least_step = 2.25,
                                           .storing = 7.4,
                                           .passing = 2.4,
                                           .waiting = 29,
                                           .split_start = 5.5,
                                           .stream_start = 214};
static const struct costs costs_of_others = {.multiplying = 0.55,
                                             .alone = 0,
                                             .reading = 0.75,
                                             .least_step = 2.25,
                                             .storing = 5,
                                             .passing = 2.5,
                                             .waiting = 16,
                                             .split_start = 30,
                                             .stream_start = 104};

static double time_of_step(const struct wgmma_shape_size *size, const struct costs *costs, uint32_t clusters,
                           uint32_t multiprocessors)
{
    uint32_t resident = divide_up(clusters * size->cluster_m * size->cluster_n, multiprocessors);
    double blocks = resident < size->blocks ? resident : size->blocks,
           squares = (double)(size->bm * size->bn) / (64 * 64);
    double multiplying = costs->multiplying * (1 + costs->alone / (blocks * size->consumers));
    double time = blocks * squares * (multiplying + costs->reading * (64.0 / size->bm + 64.0 / size->bn));
    return time > costs->least_step ? time : costs->least_step;
}

/* The additions, one after the other, by which the sums of a tile are added that `sharers` blocks share
 * (schedule.h). */
static uint32_t additions(uint32_t sharers)
{
    uint32_t count = 0;
    for (; sharers > 1; sharers = divide_up(sharers, 2))
        count++;
    return count;
}

/* The estimated time of a product, without what is the same for all choices. Infinite if its tiles are split into more
 * parts than run at the same time: stream-k is better then. */
static double time_of(const struct wgmma_product *product, const struct wgmma_choice *choice)
{
    const struct wgmma_shape_size *size = &sizes[choice->shape];
    const struct costs *costs = product->type == LAB_GEMM_FP64 ? &costs_of_fp64 : &costs_of_others;
    struct wgmma_schedule s = lab_cuda_wgmma_schedule(product, choice);
    double squares = (double)(size->bm * size->bn) / (64 * 64), start = 0, added = 0, steps;
    uint32_t whole = wgmma_whole_tiles(&s);
    if (s.shared == 0) {
        steps = (double)divide_up(whole, s.clusters) * s.steps;
    } else if (choice->split == WGMMA_STREAM) {
        steps = (double)s.shared * s.steps / s.clusters + (double)whole / s.clusters * s.steps;
        added = additions(divide_up(s.clusters, s.shared) + 1); /* about */
        start = costs->stream_start;
    } else if (s.clusters <= clusters_that_fit(product, size)) {
        uint32_t parts = s.clusters / s.shared;
        steps = divide_up(s.steps, parts);
        added = additions(parts);
        start = costs->split_start;
    } else {
        return INFINITY;
    }
    return start + steps * time_of_step(size, costs, s.clusters, product->multiprocessors) +
           squares * (costs->storing + added * costs->passing) + added * costs->waiting;
}

static struct wgmma_choice choose_by_rule(const struct wgmma_product *product)
{
    static const uint32_t splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, WGMMA_STREAM};
    enum { BAND = 8 };
    struct wgmma_choice best = {.shape = WGMMA_64X64, .split = 1, .band = BAND}; /* for all types */
    double least = time_of(product, &best);
    for (int shape = 0; shape < WGMMA_SHAPE_COUNT; shape++)
        for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
            const struct wgmma_choice choice = {(enum wgmma_shape)shape, splits[i], BAND};
            if (!lab_cuda_wgmma_shape_is_for(choice.shape, product->type))
                continue;
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

void lab_cuda_wgmma_describe(const struct wgmma_choice *choice, enum lab_gemm_type type, char *text, size_t size)
{
    const struct wgmma_shape_size *shape = &sizes[choice->shape];
    uint32_t cluster = shape->cluster_m * shape->cluster_n;
    int used = snprintf(text, size, "%s %" PRIu32 "x%" PRIu32 "%s", type == LAB_GEMM_FP64 ? "mma" : "wgmma", shape->bm,
                        shape->bn, cluster > 1 ? " by 2" : "");
    if (choice->split == WGMMA_STREAM)
        snprintf(text + used, size - (size_t)used, ", stream-k");
    else if (choice->split > 1)
        snprintf(text + used, size - (size_t)used, ", k in %" PRIu32 " parts", choice->split);
}
