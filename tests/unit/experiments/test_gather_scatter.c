/* kernels/experiments/memory/gather_scatter: the indices, and what a scatter must leave. */
#include "benchmark/benchmark.h"
#include "experiments/memory/gather_scatter/gather_scatter.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 5 };

static struct lab_device_facts device_of(const char *backend)
{
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    strcpy(facts.backend, backend);
    facts.memory_peak_bytes_per_s = 4.8e12;
    facts.l2_bytes = 60 << 20;
    return facts;
}

TEST(the_permutation_has_an_inverse)
{
    for (uint32_t bits = 1; bits <= 17; bits++)
        for (uint32_t i = 0; i < 1u << bits; i++) {
            assert_true(gather_permute(i, bits) < 1u << bits);
            assert_int_equal(gather_unpermute(gather_permute(i, bits), bits), i);
        }
}

TEST(sorted_and_random_indices_are_one_of_each_four)
{
    for (uint64_t order = GATHER_SORTED; order <= GATHER_RANDOM; order++) {
        const uint64_t bits = 13, parameters[3] = {order, bits};
        unsigned char *used = calloc(1u << bits, 1);
        uint32_t ascending = 0, last = 0;
        for (uint64_t i = 0; i < 1u << bits; i++) {
            uint32_t index = gather_index(i, 0, parameters);
            used[index / GATHER_GROUP]++;
            ascending += index > last;
            last = index;
        }
        for (uint64_t group = 0; group < 1u << bits; group++)
            assert_int_equal(used[group], 1);
        assert_true(order == GATHER_SORTED ? ascending >= (1u << bits) - 1 : ascending < 3u << (bits - 2));
        free(used);
    }
}

TEST(a_scatter_leaves_what_it_does_not_write)
{
    enum { BITS = 12, N = 1 << BITS };
    for (uint64_t order = GATHER_SEQUENTIAL; order <= GATHER_RANDOM; order++) {
        const uint64_t parameters[3] = {order, BITS, true};
        uint64_t length = order == GATHER_SEQUENTIAL ? N : N * GATHER_GROUP;
        uint32_t *out = calloc(length, sizeof *out);
        for (uint64_t j = 0; j < length; j++)
            out[j] = lab_pattern_word(j, ~(uint64_t)SEED);
        for (uint64_t i = 0; i < N; i++)
            out[gather_index(i, SEED, parameters)] = lab_float_bits(lab_pattern_float(i, SEED) + 1.0f);
        for (uint64_t j = 0; j < length; j++)
            assert_int_equal(gather_expected(j, SEED, parameters), out[j]);
        free(out);
    }
}

TEST(the_bound_counts_sectors_where_no_cache_holds_the_data)
{
    static const struct {
        int64_t order, bytes;
        double bytes_per_index; /* 0: no bound */
    } cases[] = {{GATHER_SEQUENTIAL, 1 << 26, 12},
                 {GATHER_SORTED, 1 << 26, 24},
                 {GATHER_RANDOM, 1 << 26, 40},
                 {GATHER_RANDOM, 1 << 20, 0}};
    struct lab_device_facts gpu = device_of("cuda"), cpu = device_of("host");
    const struct lab_benchmark *benchmark = lab_experiment_find("gather-scatter")->benchmark;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_point point = {.values = {GATHER, cases[i].order, cases[i].bytes}};
        struct lab_workload on_gpu = {0}, on_cpu = {0};
        double bound = cases[i].bytes_per_index * (double)(cases[i].bytes / 4) / gpu.memory_peak_bytes_per_s;
        benchmark->describe(NULL, &gpu, &point, &on_gpu);
        benchmark->describe(NULL, &cpu, &point, &on_cpu);
        assert_int_equal(on_gpu.figure_count, bound > 0 ? 2 : 1);
        assert_true(bound == 0 || fabs(on_gpu.figures[1].value / bound - 1) < 1e-9);
        assert_int_equal(on_cpu.figure_count, 0);
    }
}
