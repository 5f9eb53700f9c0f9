/* kernels/experiments/execution/thread_map: the computed waves against a simulated schedule, and the check's
 * shortcut. */
#include "experiments/execution/thread_map/thread_map.h"
#include "support/test.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"

#include <math.h>
#include <string.h>

enum { VARIANT, BLOCKS_PER_MULTIPROCESSOR, BLOCKS };
enum { MULTIPROCESSORS = 12, RESIDENT = 2, SLOTS = RESIDENT * MULTIPROCESSORS, ROUNDS = 25000 };

extern const struct lab_experiment lab_thread_map;

static struct lab_workload describe(int64_t variant, int64_t resident, int64_t blocks)
{
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = lab_parameters_parse(&lab_thread_map, NULL, &errors);
    struct lab_device_facts facts;
    const struct lab_point point = {
        .values = {[VARIANT] = variant, [BLOCKS_PER_MULTIPROCESSOR] = resident, [BLOCKS] = blocks}};
    struct lab_workload workload = {0};
    assert_non_null(parameters);
    lab_facts_clear(&facts);
    strcpy(facts.backend, "cuda");
    facts.multiprocessors = MULTIPROCESSORS;
    facts.max_threads_per_multiprocessor = 2048;
    facts.shared_per_multiprocessor_bytes = 233472;
    facts.reserved_shared_per_block_bytes = 1024;
    facts.shared_per_block_optin_bytes = 232448;
    facts.clock_hz = 2e9;
    lab_thread_map.benchmark->describe(parameters, &facts, &point, &workload);
    lab_parameters_free(parameters);
    return workload;
}

/* The end of the last block if each starts in the place of the block that ends first. */
static double simulated_waves(enum thread_map_variant variant, uint64_t blocks)
{
    double ends[SLOTS] = {0}, last = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        size_t first = 0;
        for (size_t slot = 1; slot < SLOTS; slot++)
            first = ends[slot] < ends[first] ? slot : first;
        ends[first] += (double)thread_map_rounds(variant, block, blocks, ROUNDS) / ROUNDS;
        last = fmax(last, ends[first]);
    }
    return last;
}

TEST(computed_waves_are_those_of_a_simulated_schedule)
{
    for (int64_t variant = THREAD_MAP_EVEN; variant <= THREAD_MAP_LONG_FIRST; variant++)
        for (int64_t blocks = 1; blocks <= 5 * SLOTS; blocks++) {
            struct lab_workload workload = describe(variant, RESIDENT, blocks);
            double waves = workload.figures[0].value;
            double simulated = simulated_waves((enum thread_map_variant)variant, (uint64_t)blocks);
            assert_string_equal(workload.figures[0].metric, "waves");
            assert_true(workload.counts[LAB_COUNT_STEPS] == waves);
            /* with the longest blocks first a lower bound: the shortest fill the gaps, but not completely */
            if (variant == THREAD_MAP_LONG_FIRST)
                assert_true(waves < 1.0001 * simulated && waves > 0.88 * simulated);
            else
                assert_true(fabs(waves - simulated) < 1e-9);
        }
}

TEST(the_time_of_a_wave_follows_from_the_clock)
{
    struct lab_workload workload = describe(THREAD_MAP_EVEN, 1, MULTIPROCESSORS + 1);
    assert_string_equal(workload.figures[1].metric, "predicted_time");
    assert_true(fabs(workload.figures[1].value / (2 * ROUNDS * 4 / 2e9) - 1) < 1e-9);
}

/* As many blocks fit in the shared memory as asked for, and no more. */
TEST(shared_memory_limits_the_resident_blocks)
{
    for (size_t resident = 1; resident <= 16; resident++) {
        struct lab_workload workload = describe(THREAD_MAP_EVEN, (int64_t)resident, 1);
        assert_string_equal(workload.skipped, "");
        assert_true(workload.steps[0].launch.shared_bytes <= 232448);
        assert_int_equal(233472 / (workload.steps[0].launch.shared_bytes + 1024), resident);
    }
    assert_non_null(strstr(describe(THREAD_MAP_EVEN, 17, 1).skipped, "at most 16 blocks"));
}

TEST(the_check_jumps_over_rounds)
{
    for (uint32_t rounds = 0; rounds < 100; rounds++) {
        uint32_t x = 0x9E3779B9u;
        for (uint32_t round = 0; round < rounds; round++)
            x = x * 1664525u + 1013904223u;
        assert_int_equal(thread_map_jump(0x9E3779B9u, rounds, 1664525u, 1013904223u), x);
    }
}

/* The mean of the rounds is that of even blocks. */
TEST(uneven_blocks_have_the_same_work_together)
{
    for (int variant = THREAD_MAP_EVEN; variant <= THREAD_MAP_LONG_FIRST; variant++)
        for (uint64_t blocks = 1; blocks < 40; blocks++) {
            uint64_t rounds = 0;
            for (uint64_t block = 0; block < blocks; block++)
                rounds += thread_map_rounds((enum thread_map_variant)variant, block, blocks, ROUNDS);
            assert_true(rounds <= blocks * ROUNDS && rounds > blocks * (ROUNDS - 1));
        }
}
