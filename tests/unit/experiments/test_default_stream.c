/* kernels/experiments/streams/default_stream: which kernels wait for which, as figures, and the streams they are in. */
#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { VARIANT, STREAMS };
enum { NONE, LEGACY, PER_THREAD, NON_BLOCKING, MIXED, BOTH, VARIANTS };
enum { OTHERS = 4 };

extern const struct lab_experiment lab_default_stream;

static struct lab_workload describe(const char *backend, int64_t variant)
{
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = lab_parameters_parse(&lab_default_stream, NULL, &errors);
    struct lab_device_facts facts;
    struct lab_workload workload = {0};
    const struct lab_point point = {.values = {[VARIANT] = variant, [STREAMS] = OTHERS}};
    assert_non_null(parameters);
    lab_facts_clear(&facts);
    strcpy(facts.backend, backend);
    lab_default_stream.benchmark->describe(parameters, &facts, &point, &workload);
    lab_parameters_free(parameters);
    return workload;
}

TEST(only_blocking_streams_wait_for_the_legacy_default_stream)
{
    static const struct {
        double units, at_once;
    } expected[VARIANTS] = {[NONE] = {1, 4},         [LEGACY] = {3, 2}, [PER_THREAD] = {1, 5},
                            [NON_BLOCKING] = {1, 5}, [MIXED] = {3, 3},  [BOTH] = {3, 3}};
    for (int64_t variant = 0; variant < VARIANTS; variant++) {
        struct lab_workload workload = describe("cuda", variant);
        assert_string_equal(workload.figures[0].metric, "predicted_time");
        assert_true(fabs(workload.figures[0].value / (1e-3 * expected[variant].units) - 1) < 1e-9);
        assert_string_equal(workload.figures[1].metric, "predicted_at_once");
        assert_true(workload.figures[1].value == expected[variant].at_once);
    }
}

TEST(a_host_device_executes_one_kernel_at_a_time)
{
    struct lab_workload workload = describe("host", NONE);
    assert_true(fabs(workload.figures[0].value / (1e-3 * OTHERS) - 1) < 1e-9);
    assert_true(workload.figures[1].value == 1);
}

TEST(the_kernel_in_the_default_stream_is_launched_between_the_others)
{
    static const size_t streams[] = {0, 1, OTHERS, OTHERS + 1, 2, 3};
    struct lab_workload workload = describe("cuda", BOTH);
    assert_int_equal(workload.step_count, OTHERS + 2);
    assert_int_equal(workload.stream_count, OTHERS + 2);
    for (size_t k = 0; k < workload.step_count; k++)
        assert_int_equal(workload.steps[k].stream, streams[k]);
    assert_int_equal(workload.streams[OTHERS], LAB_STREAM_LEGACY);
    assert_int_equal(workload.streams[OTHERS + 1], LAB_STREAM_PER_THREAD);
    assert_int_equal(workload.streams[0], LAB_STREAM_BLOCKING);
}
