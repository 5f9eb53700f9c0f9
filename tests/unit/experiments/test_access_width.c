/* kernels/experiments/memory/access_width: the points, and what is computed for them. */
#include "benchmark/benchmark.h"
#include "descriptor/points.h"
#include "support/plan_harness.h"
#include "support/test.h"

#include <math.h>

enum { WORKLOADS_MAX = 32 };

/* The workloads of the points of a request on a device with a memory of 1 GB/s. Returns their number. */
static size_t describe_all(const char *request, const char *backend, struct lab_workload workloads[WORKLOADS_MAX])
{
    struct lab_errors errors = {0};
    struct lab_points points;
    struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts};
    struct lab_parameters *parameters = parse("access-width", request);
    lab_facts_clear(&facts);
    snprintf(facts.backend, sizeof facts.backend, "%s", backend);
    facts.memory_peak_bytes_per_s = 1e9;
    assert_true(lab_points_init(&points, parameters, devices, 1, &errors));
    size_t count = points.count;
    assert_true(count <= WORKLOADS_MAX);
    for (size_t i = 0; i < count; i++) {
        workloads[i] = (struct lab_workload){0};
        parameters->experiment->benchmark->describe(parameters, &facts, &points.items[i], &workloads[i]);
    }
    lab_points_release(&points);
    lab_parameters_free(parameters);
    return count;
}

static double figure(const struct lab_workload *workload, const char *metric)
{
    for (size_t i = 0; i < workload->figure_count; i++)
        if (strcmp(workload->figures[i].metric, metric) == 0)
            return workload->figures[i].value;
    fail_msg("%s has no %s", workload->steps[0].kernel, metric);
    return NAN;
}

/* All kernels with all members copy the same bytes; the bound is that of 2 x 196608 bytes. */
TEST(every_kernel_copies_the_same_bytes)
{
    struct lab_workload w[WORKLOADS_MAX];
    size_t count = describe_all("{\"bytes\": 196608, \"fields\": \"all\"}", "cuda", w);
    assert_int_equal(count, 5 + 2 + 1 + 2);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(w[i].skipped, "");
        assert_int_equal(w[i].buffers[0].bytes, 196608);
        assert_int_equal(w[i].buffers[1].bytes, 196608);
        assert_true(fabs(figure(&w[i], "bound") - 2 * 196608e-9) < 1e-12);
        assert_int_equal(w[i].check.parameters[0], 1);
    }
}

/* One member of structures of 12 and 16 bytes: an array of structures is read completely. */
TEST(one_member_moves_all_sectors_of_structures)
{
    static const struct {
        double bound_s;
        uint64_t step;
    } expected[] = {
        {196608e-9 * (1 + 1.0 / 3), 3}, {196608e-9 * (1 + 1.0 / 4), 4}, {196608e-9 * 2 / 3, 1}, {196608e-9 * 2 / 4, 1}};
    struct lab_workload w[WORKLOADS_MAX];
    assert_int_equal(
        describe_all("{\"bytes\": 196608, \"variant\": [\"aos\", \"soa\"], \"fields\": \"one\"}", "cuda", w), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(fabs(figure(&w[i], "bound") - expected[i].bound_s) < 1e-12);
        assert_int_equal(w[i].check.parameters[0], expected[i].step);
        assert_true(figure(&w[i], "loads") == 1);
    }
}

/* Of the 32 bytes of an aligned structure 20 count. Its padding is moved and not compared. */
TEST(structures_of_five_floats_have_padding_if_aligned)
{
    struct lab_workload w[WORKLOADS_MAX];
    assert_int_equal(describe_all("{\"bytes\": 204288, \"variant\": [\"aos-5\", \"aos-5-aligned\"]}", "cuda", w), 2);
    uint64_t packed = 204288 / 20 / 32 * 32, aligned = 204288 / 32 / 32 * 32;
    assert_true(w[0].counts[LAB_COUNT_BYTES] == 2.0 * 20 * (double)packed);
    assert_true(w[1].counts[LAB_COUNT_BYTES] == 2.0 * 20 * (double)aligned);
    assert_int_equal(w[0].buffers[1].bytes, 20 * packed);
    assert_int_equal(w[1].buffers[1].bytes, 32 * aligned);
    assert_true(fabs(figure(&w[0], "bound") - 2 * 20e-9 * (double)packed) < 1e-12);
    assert_true(fabs(figure(&w[1], "bound") - 2 * 32e-9 * (double)aligned) < 1e-12);
    assert_true(figure(&w[0], "loads") == 5 && figure(&w[1], "loads") == 2);
    assert_string_equal(w[0].check.kernel, "access_width_check");
    assert_string_equal(w[1].check.kernel, "access_width_check_padded");
    assert_int_equal(w[1].check.parameters[0], 8);
    assert_int_equal(w[1].check.parameters[1], 5);
    assert_int_equal(describe_all("{\"variant\": [\"aos-5\", \"aos-5-aligned\"]}", "host", w), 2);
    assert_true(w[0].skipped[0] == '\0' && w[1].skipped[0] != '\0');
}

TEST(a_structure_of_five_arrays_has_no_padding)
{
    struct lab_workload w[WORKLOADS_MAX];
    assert_int_equal(describe_all("{\"bytes\": 204288, \"variant\": \"soa-5\"}", "cuda", w), 1);
    uint64_t packed = 204288 / 20 / 32 * 32;
    assert_int_equal(w[0].buffers[1].bytes, 20 * packed);
    assert_true(fabs(figure(&w[0], "bound") - 2 * 20e-9 * (double)packed) < 1e-12);
    assert_true(figure(&w[0], "loads") == 5 && figure(&w[0], "sectors_per_request") == 4);
}

TEST(what_a_cpu_does_not_have_is_skipped)
{
    struct lab_workload w[WORKLOADS_MAX];
    size_t skipped = 0, count = describe_all("{}", "host", w);
    for (size_t i = 0; i < count; i++)
        skipped += w[i].skipped[0] != '\0';
    assert_int_equal(count, 14);
    assert_int_equal(skipped, 6);
}

/* Each array of a structure of arrays begins at a multiple of 128 bytes. */
TEST(sizes_are_rounded_to_whole_warps)
{
    struct lab_workload w[WORKLOADS_MAX];
    assert_int_equal(describe_all("{\"bytes\": [200000, 200001], \"variant\": \"soa\"}", "cuda", w), 4);
    assert_int_equal(w[0].buffers[0].bytes, 199680);
    assert_int_equal(w[0].buffers[0].bytes / 3 % 128, 0);
    assert_int_equal(w[0].buffers[0].bytes / 4 % 128, 0);
}
