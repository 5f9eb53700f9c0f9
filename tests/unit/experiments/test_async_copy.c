/* kernels/experiments/memory/async_copy: its points, and what a device must have. */
#include "benchmark/benchmark.h"
#include "experiments/memory/async_copy/async_copy.h"
#include "support/plan_harness.h"
#include "support/test.h"

#include <string.h>

static struct lab_workload describe(const char *backend, const char *capability, int64_t variant, int64_t stages)
{
    struct lab_workload workload = {0};
    struct lab_device_facts facts;
    struct lab_point point = {.values = {variant, stages, 2, 1 << 20}};
    lab_facts_clear(&facts);
    strcpy(facts.backend, backend);
    strcpy(facts.compute_capability, capability);
    facts.multiprocessors = 132;
    lab_experiment_find("async-copy")->benchmark->describe(NULL, &facts, &point, &workload);
    return workload;
}

TEST(stages_decide_the_kernel_and_the_bytes_in_flight)
{
    struct lab_workload workload = describe("cuda", "9.0", ASYNC_TMA, 4);
    assert_string_equal(workload.skipped, "");
    assert_string_equal(workload.steps[0].kernel, "async_copy_tma_4");
    assert_int_equal(workload.steps[0].launch.grid[0], 264);
    assert_true(workload.figures[0].value == 2 * 4 * 4096);
    assert_string_equal(describe("cuda", "9.0", ASYNC_DIRECT, LAB_NO_VALUE).steps[0].kernel, "async_copy_direct");
}

TEST(a_device_without_the_instructions_is_said_to_lack_them)
{
    assert_string_equal(describe("cuda", "8.6", ASYNC_TMA, 1).skipped,
                        "tma needs compute capability 9.0; the device has 8.6");
    assert_string_equal(describe("cuda", "8.6", ASYNC_CP_ASYNC, 1).skipped, "");
    assert_string_equal(describe("cuda", "12.0", ASYNC_TMA, 1).skipped, "");
    assert_string_equal(describe("cuda", "9.0", ASYNC_REGISTERS, 4).skipped, "registers has no kernel with 4 stages");
    assert_string_equal(describe("host", "", ASYNC_DIRECT, LAB_NO_VALUE).skipped, "");
    assert_true(describe("host", "", ASYNC_CP_ASYNC, 1).skipped[0] != '\0');
}

TEST(the_ends_of_a_tile_are_neighbours)
{
    const uint64_t none[3] = {0};
    float first = lab_pattern_float(2047, 3) + lab_pattern_float(1024, 3) + lab_pattern_float(1025, 3);
    assert_int_equal(async_copy_expected(1024, 3, none), lab_float_bits(first));
}
