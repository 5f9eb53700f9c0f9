/* kernels/cuda/gemm/wgmma/schedule.h and choice.c: every step of every tile is computed once, sums are passed on in an
 * order that cannot deadlock, and every choice gives such a schedule. */
#include "cuda/gemm/wgmma/choice.h"
#include "cuda/gemm/wgmma/table.h"
#include "support/test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { H200_MULTIPROCESSORS = 132 };

/* --- schedules ---------------------------------------------------------------------------------------------------- */

/* Which cluster computes each step of each tile; UINT32_MAX: none yet. */
static uint32_t *owners_of(const struct wgmma_schedule *s)
{
    size_t count = (size_t)s->rows * s->columns * s->steps;
    uint32_t *owners = malloc(count * sizeof *owners);
    assert_non_null(owners);
    memset(owners, 0xFF, count * sizeof *owners);
    for (uint32_t cluster = 0; cluster < s->clusters; cluster++) {
        struct wgmma_part part;
        uint32_t next = 0, index = 0, passed = 0, awaited = 0, whole_steps = 0, signals = 0;
        for (; wgmma_next_part(s, cluster, &next, &part); index++) {
            assert_true(part.count > 0 && part.first + part.count <= s->steps && part.tile < s->rows * s->columns);
            if (!wgmma_has_last_step(s, &part)) {
                assert_int_equal(awaited, 0); /* its sums are passed on before those of another tile are waited for */
                passed++;
            }
            awaited += !wgmma_has_first_step(&part);
            if (part.tile < wgmma_whole_tiles(s)) {
                assert_true(part.count == s->steps && whole_steps == index * s->steps); /* whole tiles come first */
                whole_steps += part.count;
                signals += part.count / WGMMA_SIGNAL_STEPS;
            }
            for (uint32_t i = 0; i < part.count; i++) {
                uint32_t *owner = &owners[(size_t)part.tile * s->steps + part.first + i];
                assert_int_equal(*owner, UINT32_MAX);
                *owner = cluster;
            }
        }
        assert_true(index > 0 && passed <= 1);
        assert_true(signals >= wgmma_signals(s)); /* each cluster gives all signals */
    }
    for (size_t i = 0; i < count; i++)
        assert_int_not_equal(owners[i], UINT32_MAX);
    return owners;
}

/* The sums of every sharer but the last one are added once, by one with a larger number. Of the additions, each as soon
 * as both sums are there, at most ceil(log2(count)) are one after the other. */
static void check_tree(const struct wgmma_sharers *sharers)
{
    uint32_t *additions = calloc(sharers->count, sizeof *additions); /* before a rank passes its sums on */
    bool *added = calloc(sharers->count, sizeof *added);
    assert_true(additions != NULL && added != NULL);
    for (uint32_t rank = sharers->count; rank-- > 0;)
        for (uint32_t distance = 1; wgmma_adds(sharers, rank, distance); distance *= 2) {
            uint32_t before = additions[rank], of_other = additions[rank + distance];
            assert_false(added[rank + distance]);
            added[rank + distance] = true;
            additions[rank] = (before > of_other ? before : of_other) + 1;
        }
    for (uint32_t rank = 1; rank < sharers->count; rank++)
        assert_true(added[rank]);
    assert_true(additions[0] == 0 || 1u << (additions[0] - 1) < sharers->count);
    free(additions);
    free(added);
}

/* The sharers of a tile are the clusters that have steps of it, in the order of the steps. */
static void check_order(const struct wgmma_schedule *s, const uint32_t *owners)
{
    for (uint32_t tile = wgmma_whole_tiles(s); tile < s->rows * s->columns; tile++) {
        const uint32_t *of_tile = owners + (size_t)tile * s->steps;
        const struct wgmma_sharers sharers = wgmma_sharers_of(s, tile);
        assert_int_equal(of_tile[s->steps - 1], sharers.last);
        assert_int_equal(of_tile[0], sharers.last - sharers.count + 1);
        for (uint32_t i = 1; i < s->steps; i++)
            assert_true(of_tile[i] == of_tile[i - 1] || of_tile[i] == of_tile[i - 1] + 1);
        check_tree(&sharers);
    }
    for (uint32_t tile = 0; tile < wgmma_whole_tiles(s); tile++)
        for (uint32_t i = 0; i < s->steps; i++)
            assert_int_equal(owners[(size_t)tile * s->steps + i], tile % s->clusters);
}

static void check_positions(const struct wgmma_schedule *s)
{
    bool *seen = calloc((size_t)s->rows * s->columns, sizeof *seen);
    assert_non_null(seen);
    for (uint32_t tile = 0; tile < s->rows * s->columns; tile++) {
        struct wgmma_tile at = wgmma_tile_at(s, tile);
        assert_true(at.row < s->rows && at.column < s->columns && !seen[at.row * s->columns + at.column]);
        seen[at.row * s->columns + at.column] = true;
    }
    free(seen);
}

static void check_schedule(const struct wgmma_schedule *s)
{
    uint32_t *owners = owners_of(s);
    check_order(s, owners);
    check_positions(s);
    free(owners);
}

TEST(every_step_is_computed_once)
{
    static const struct wgmma_schedule schedules[] = {
        {.rows = 1, .columns = 1, .steps = 1, .clusters = 1, .shared = 0, .band = 8},
        {.rows = 1, .columns = 1, .steps = 7, .clusters = 7, .shared = 1, .band = 8},
        {.rows = 1, .columns = 1, .steps = 1024, .clusters = 132, .shared = 1, .band = 8},
        {.rows = 4, .columns = 4, .steps = 8, .clusters = 64, .shared = 16, .band = 8},
        {.rows = 3, .columns = 5, .steps = 11, .clusters = 7, .shared = 15, .band = 2},
        {.rows = 9, .columns = 17, .steps = 33, .clusters = 132, .shared = 21, .band = 8},
        {.rows = 20, .columns = 10, .steps = 5, .clusters = 66, .shared = 68, .band = 4},
        {.rows = 16, .columns = 16, .steps = 64, .clusters = 66, .shared = 0, .band = 8},
        {.rows = 5, .columns = 3, .steps = 2, .clusters = 30, .shared = 15, .band = 16},
        {.rows = 24, .columns = 12, .steps = 220, .clusters = 66, .shared = 90, .band = 8},
    };
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        check_schedule(&schedules[i]);
}

/* --- choices ------------------------------------------------------------------------------------------------------ */

static struct wgmma_product product(enum lab_gemm_type type, uint32_t m, uint32_t n, uint32_t k)
{
    return (struct wgmma_product){type, LAB_GEMM_TN, m, n, k, H200_MULTIPROCESSORS};
}

TEST(every_choice_has_a_schedule)
{
    static const uint32_t sizes[][3] = {{1, 1, 1},       {64, 64, 64},    {1, 4096, 4096}, {100, 100, 20000},
                                        {513, 511, 257}, {1024, 1, 8192}, {3000, 200, 64}, {2048, 2048, 2048}};
    static const uint32_t splits[] = {1, 2, 3, 8, 64, 128, WGMMA_STREAM},
                          multiprocessors[] = {1, 7, 114, H200_MULTIPROCESSORS};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int shape = 0; shape < WGMMA_SHAPE_COUNT; shape++)
            for (size_t j = 0; j < sizeof splits / sizeof *splits; j++)
                for (size_t d = 0; d < sizeof multiprocessors / sizeof *multiprocessors; d++) {
                    enum lab_gemm_type type = lab_cuda_wgmma_shape_is_for((enum wgmma_shape)shape, LAB_GEMM_FP64)
                                                  ? LAB_GEMM_FP64
                                                  : LAB_GEMM_BF16;
                    struct wgmma_product p = product(type, sizes[i][0], sizes[i][1], sizes[i][2]);
                    const struct wgmma_choice choice = {(enum wgmma_shape)shape, splits[j], 8};
                    p.multiprocessors = multiprocessors[d];
                    struct wgmma_schedule s = lab_cuda_wgmma_schedule(&p, &choice);
                    check_schedule(&s);
                }
}

static const struct wgmma_shape_size *size_chosen(enum lab_gemm_type type, uint32_t m, uint32_t n, uint32_t k,
                                                  struct wgmma_schedule *schedule)
{
    const struct wgmma_product p = product(type, m, n, k);
    const struct wgmma_choice choice = lab_cuda_wgmma_choose(&p);
    *schedule = lab_cuda_wgmma_schedule(&p, &choice);
    return lab_cuda_wgmma_shape_size(choice.shape);
}

TEST(small_products_fill_the_device)
{
    struct wgmma_schedule s;
    const struct wgmma_shape_size *size = size_chosen(LAB_GEMM_BF16, 512, 512, 512, &s);
    assert_in_range(s.clusters * size->cluster_m * size->cluster_n, 60, 2 * H200_MULTIPROCESSORS);
    size = size_chosen(LAB_GEMM_FP8, 1, 8192, 8192, &s);
    assert_in_range(s.clusters * size->cluster_m * size->cluster_n, 60, 2 * H200_MULTIPROCESSORS);
}

TEST(blocks_of_large_products_keep_together)
{
    struct wgmma_schedule s;
    size_chosen(LAB_GEMM_FP64, 512, 512, 512, &s);
    assert_int_equal(wgmma_signals(&s), 0);
    size_chosen(LAB_GEMM_FP64, 16384, 16384, 16384, &s);
    assert_in_range(wgmma_signals(&s), 1000,
                    16384 * 16384 / (64 * 64 * H200_MULTIPROCESSORS) * 1024 / WGMMA_SIGNAL_STEPS);
    const struct wgmma_schedule exact = {
        .rows = 24, .columns = 12, .steps = 220, .clusters = 66, .shared = 90, .band = 8};
    assert_int_equal(wgmma_signals(&exact), 3 * 6); /* 3 whole tiles of 6 * 32 steps and 28 more */
}

/* With 64 blocks it was fastest; as many as fit, 264, need more additions. */
TEST(a_deep_product_is_divided_among_many_blocks)
{
    struct wgmma_schedule s;
    const struct wgmma_shape_size *size = size_chosen(LAB_GEMM_BF16, 64, 64, 65536, &s);
    assert_in_range(s.clusters * size->cluster_m * size->cluster_n, 32, 128);
}

TEST(large_products_have_large_tiles)
{
    struct wgmma_schedule s;
    const struct wgmma_shape_size *size = size_chosen(LAB_GEMM_TF32, 10000, 10000, 10000, &s);
    assert_int_equal(size->bm * size->bn, 128 * 256);
    assert_in_range(s.clusters * size->cluster_m * size->cluster_n, 120, H200_MULTIPROCESSORS);
}

TEST(shapes_are_for_the_type)
{
    static const uint32_t sizes[] = {1, 64, 100, 512, 1000, 1024, 2048, 4096, 8192, 16384};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    static const enum lab_gemm_type types[] = {LAB_GEMM_FP64, LAB_GEMM_TF32, LAB_GEMM_BF16, LAB_GEMM_FP16,
                                               LAB_GEMM_FP8};
    for (size_t type = 0; type < sizeof types / sizeof *types; type++)
        for (size_t i = 0; i < SIZES * SIZES * SIZES; i++) {
            const struct wgmma_product p =
                product(types[type], sizes[i % SIZES], sizes[i / SIZES % SIZES], sizes[i / SIZES / SIZES]);
            assert_true(lab_cuda_wgmma_shape_is_for(lab_cuda_wgmma_choose(&p).shape, types[type]));
        }
    for (size_t i = 0; i < sizeof wgmma_table / sizeof *wgmma_table; i++)
        assert_true(lab_cuda_wgmma_shape_is_for(wgmma_table[i].choice.shape, wgmma_table[i].type));
    assert_false(lab_cuda_wgmma_shape_is_for(WGMMA_128X256, LAB_GEMM_FP64));
    static const enum wgmma_shape only_fp64[] = {WGMMA_64X32, WGMMA_32X64, WGMMA_96X128, WGMMA_192X64};
    for (size_t i = 0; i < sizeof only_fp64 / sizeof *only_fp64; i++) {
        assert_false(lab_cuda_wgmma_shape_is_for(only_fp64[i], LAB_GEMM_BF16));
        assert_true(lab_cuda_wgmma_shape_is_for(only_fp64[i], LAB_GEMM_FP64));
    }
}

/* If the parts of split tiles do not all run at the same time, their sums no longer fit in the L2 cache. */
TEST(products_without_a_row_run_all_parts_at_once)
{
    static const uint32_t sizes[][3] = {{6144, 6144, 6144}, {11000, 6144, 6144},  {3000, 5000, 4000},
                                        {100, 4096, 4096},  {2048, 10000, 65536}, {300, 300, 3000},
                                        {64, 64, 65536},    {9000, 64, 64}};
    static const enum lab_gemm_type types[] = {LAB_GEMM_FP64, LAB_GEMM_TF32, LAB_GEMM_BF16, LAB_GEMM_FP8};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t type = 0; type < sizeof types / sizeof *types; type++) {
            struct wgmma_schedule s;
            const struct wgmma_shape_size *size = size_chosen(types[type], sizes[i][0], sizes[i][1], sizes[i][2], &s);
            assert_true(s.clusters * size->cluster_m * size->cluster_n <= size->blocks * H200_MULTIPROCESSORS);
        }
}

/* TMA loads boxes of at most 256 rows. */
TEST(boxes_are_within_the_limit)
{
    for (int shape = 0; shape < WGMMA_SHAPE_COUNT; shape++) {
        const struct wgmma_shape_size *size = lab_cuda_wgmma_shape_size((enum wgmma_shape)shape);
        assert_in_range(size->bm / size->cluster_n, 1, 256);
        assert_in_range(size->bn / size->cluster_m, 1, 256);
    }
}

TEST(choices_are_described)
{
    char text[64];
    lab_cuda_wgmma_describe(&(struct wgmma_choice){WGMMA_128X256_BY_2, 1, 8}, LAB_GEMM_BF16, text, sizeof text);
    assert_string_equal(text, "wgmma 128x256 by 2");
    lab_cuda_wgmma_describe(&(struct wgmma_choice){WGMMA_96X128, WGMMA_STREAM, 8}, LAB_GEMM_FP64, text, sizeof text);
    assert_string_equal(text, "mma 96x128, stream-k");
    lab_cuda_wgmma_describe(&(struct wgmma_choice){WGMMA_64X64, 4, 8}, LAB_GEMM_BF16, text, sizeof text);
    assert_string_equal(text, "wgmma 64x64, k in 4 parts");
    lab_cuda_wgmma_describe(&(struct wgmma_choice){WGMMA_128X128, WGMMA_STREAM, 8}, LAB_GEMM_BF16, text, sizeof text);
    assert_string_equal(text, "wgmma 128x128, stream-k");
    lab_cuda_wgmma_describe(&(struct wgmma_choice){WGMMA_64X32, 1, 8}, LAB_GEMM_FP64, text, sizeof text);
    assert_string_equal(text, "mma 64x32");
}
