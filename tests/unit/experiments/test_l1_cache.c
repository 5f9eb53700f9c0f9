/* kernels/experiments/memory/l1_cache: what is asked of the device, and what is computed. */
#include "benchmark/benchmark.h"
#include "experiments/memory/l1_cache/l1_cache.h"
#include "support/test.h"

#include <string.h>

enum { AUTOMATIC, NONE, QUARTER, HALF, THREE_QUARTERS, ALL };

static struct lab_workload describe(const char *backend, int64_t variant, int64_t carveout, int64_t working_set)
{
    struct lab_workload workload = {0};
    struct lab_device_facts facts;
    struct lab_point point = {.values = {variant, carveout, working_set}};
    lab_facts_clear(&facts);
    strcpy(facts.backend, backend);
    facts.multiprocessors = 132;
    facts.shared_per_multiprocessor_bytes = 233472;
    lab_experiment_find("l1-cache")->benchmark->describe(NULL, &facts, &point, &workload);
    return workload;
}

TEST(a_kernel_asks_for_a_share_of_the_memory)
{
    struct lab_workload half = describe("cuda", L1_CA, HALF, 16384),
                        automatic = describe("cuda", L1_CA, AUTOMATIC, 16384);
    assert_true(half.steps[0].launch.divides_l1);
    assert_int_equal(half.steps[0].launch.shared_percent, 50);
    assert_false(automatic.steps[0].launch.divides_l1);
}

TEST(the_level_follows_from_the_share_and_the_load)
{
    static const struct {
        int64_t variant, carveout, working_set;
        double l1, level;
    } cases[] = {{L1_CA, AUTOMATIC, 196608, 233472, 1},
                 {L1_CA, AUTOMATIC, 262144, 233472, 2},
                 {L1_CA, HALF, 98304, 116736, 1},
                 {L1_CA, HALF, 131072, 116736, 2},
                 {L1_CA, ALL, 16384, 0, 2},
                 {L1_CG, AUTOMATIC, 16384, 233472, 2},
                 {L1_LDG, AUTOMATIC, 16384, 233472, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload workload = describe("cuda", cases[i].variant, cases[i].carveout, cases[i].working_set);
        assert_true(workload.figures[0].value == cases[i].l1);
        assert_true(workload.figures[1].value == cases[i].level);
    }
}

TEST(a_cpu_has_ordinary_loads_only)
{
    assert_string_equal(describe("host", L1_CA, AUTOMATIC, 16384).skipped, "");
    assert_true(describe("host", L1_CG, AUTOMATIC, 16384).skipped[0] != '\0');
    assert_true(describe("host", L1_CA, HALF, 16384).skipped[0] != '\0');
}
