/* kernels/experiments/streams/waiting: what is launched and checked for each way to wait. */
#include "experiments/streams/waiting/waiting.h"
#include "support/test.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"

#include <string.h>

extern const struct lab_experiment lab_waiting;

static struct lab_workload describe(int64_t variant)
{
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = lab_parameters_parse(&lab_waiting, NULL, &errors);
    struct lab_device_facts facts;
    struct lab_workload workload = {0};
    const struct lab_point point = {.values = {[WAITING_AXIS_VARIANT] = variant}};
    assert_non_null(parameters);
    lab_facts_clear(&facts);
    lab_waiting.benchmark->describe(parameters, &facts, &point, &workload);
    lab_parameters_free(parameters);
    return workload;
}

TEST(a_way_without_a_device_launches_nothing_and_the_others_one_kernel)
{
    for (int64_t i = 0; waiting_ways[i].name != NULL; i++) {
        struct lab_workload workload = describe(i);
        assert_int_equal(workload.check.parameters[0], i == WAITING_THREAD ? 0 : 1);
        assert_int_equal(workload.check.buffer, WAITING_COUNTER);
        assert_true(workload.check.accumulates);
        assert_int_equal(workload.buffers[WAITING_FLAG_BUFFER].memory, LAB_MEMORY_MAPPED);
    }
}

TEST(the_ways_of_the_prediction_have_their_names)
{
    assert_string_equal(waiting_ways[WAITING_THREAD].name, "thread");
    assert_true(waiting_ways[WAITING_THREAD].sleeps && waiting_ways[WAITING_THREAD].no_device);
    assert_string_equal(waiting_ways[WAITING_FLAG].name, "flag");
    assert_false(waiting_ways[WAITING_FLAG].sleeps);
}

/* Without a table of the runtime only what every runtime has is possible. */
TEST(a_runtime_without_ways_to_wait_lacks_those_that_need_them)
{
    const struct lab_runtime bare = {.name = "bare"};
    const struct waiting w = {.runtime = &bare};
    static const char *const possible[] = {"thread", "flag", "event-query", "stream-synchronize", "event-synchronize"};
    size_t found = 0;
    for (const struct waiting_way *way = waiting_ways; way->name != NULL; way++)
        if (way->lacks == NULL || way->lacks(&w) == NULL)
            assert_string_equal(way->name, possible[found++]);
    assert_int_equal(found, sizeof possible / sizeof *possible);
}
