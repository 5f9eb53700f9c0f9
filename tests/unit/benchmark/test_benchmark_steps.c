/* kernels/benchmark: workloads of several steps, inputs that kernels fill, results that accumulate or have an error. */
#include "benchmark/check.h"
#include "support/benchmark_harness.h"
#include "support/test.h"

AROUND_EACH_TEST(.setup = open_one, .teardown = close_one)

enum { ELEMENTS = 1024, BYTES = 4 * ELEMENTS, FACTOR = 3, STEPS = 50 };

#define FEW "\"min_samples\": 3, \"max_samples\": 3, \"settle_s\": 0, \"time_budget_s\": 600"

/* --- kernels: halves = input / 2, sums += FACTOR * halves --------------------------------------------------------- */

static size_t fills; /* times that the input was filled */

static uint32_t even(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return (lab_pattern_word(i, seed) & 0xffff) * 2 + (uint32_t)parameters[0];
}

LAB_FILL_HOST(steps_fill_even, even)

static void fill_input(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    host_steps_fill_even(part, arguments);
    if (part->index == 0)
        fills++;
}

static void halve(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const uint32_t *input = arguments[0].pointer;
    uint32_t *halves = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, ELEMENTS, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        halves[i] = input[i] / 2;
}

static void add(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const uint32_t *halves = arguments[0].pointer;
    uint32_t *sums = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, ELEMENTS, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        sums[i] += arguments[2].u32 * halves[i];
}

static uint32_t expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return FACTOR * (even(i, seed, parameters) / 2);
}

LAB_CHECK_HOST(steps_compare, expected)

static void check(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    struct lab_check_result *found = arguments[6].pointer;
    double error = 0.25;
    uint64_t total;
    host_steps_compare(part, arguments);
    if (lab_check_total(found, part, part->index + 1, &total))
        found->wrong += total != part->count * (part->count + 1) / 2;
    if (part->index == 0)
        memcpy(&found->error, &error, sizeof error);
}

static const struct lab_host_kernel host_kernels[] = {
    {"fill", fill_input}, {"halve", halve}, {"add", add}, {"check", check}, {NULL, NULL}};
static const struct lab_image image = {"steps", NULL, host_kernels};

/* --- the benchmark ------------------------------------------------------------------------------------------------ */

enum { KIND };
enum { RIGHT, SECOND_FILL, SAME_FILL, NOT_ACCUMULATING, CALL, UNSUPPORTED_CALL, VARIABLE };

static const char *const kinds[] = {"right", "second-fill",      "same-fill", "not-accumulating",
                                    "call",  "unsupported-call", "variable",  NULL};

static const struct lab_schema parameters[] = {
    {.name = "kind", .type = LAB_TYPE_CHOICE, .count = LAB_ONE_OR_LIST, .choices = kinds, .fallback = "[\"right\"]"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {[KIND] = {.name = "kind", .title = "Kind"}, {.name = NULL}};

static const struct lab_metric metrics[] = {
    {.name = "step_time", .unit = "s", .counter = LAB_COUNT_STEPS},
    {.name = "step_cycles", .unit = "cycles", .counter = LAB_COUNT_STEPS},
    {.name = "part_time", .unit = "s", .counter = LAB_COUNT_PARTS},
    {.name = "time", .unit = "s", .counter = LAB_COUNT_SECONDS},
    {.name = "error", .unit = "1"},
    {.name = "records", .unit = "1"},
    {.name = NULL},
};

static struct lab_plan *prepare_copy(struct lab_device *device, const struct lab_argument *arguments, size_t count)
{
    assert_int_equal(count, 2);
    const struct lab_operation copy = {.kind = LAB_OPERATION_COPY,
                                       .source = lab_region_of(arguments[0].pointer, BYTES),
                                       .destination = lab_region_of(arguments[1].pointer, BYTES)};
    return device->runtime->prepare(device, &copy);
}

static struct lab_plan *refuse(struct lab_device *device, const struct lab_argument *arguments, size_t count)
{
    (void)arguments, (void)count;
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "no such library");
    return NULL;
}

/* Copies `from` by the call of a library. Returns the copy. */
static size_t add_copy(struct lab_workload *workload, size_t from, bool supported)
{
    size_t copy = lab_workload_output(workload, BYTES);
    lab_workload_add_call(workload, supported ? prepare_copy : refuse);
    LAB_ARGUMENTS(workload, LAB_BUFFER(from), LAB_BUFFER(copy));
    return copy;
}

static void describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                     const struct lab_point *point, struct lab_workload *workload)
{
    int64_t kind = point->values[KIND];
    bool second = kind == SECOND_FILL || kind == SAME_FILL;
    (void)given, (void)device;
    size_t input = lab_workload_declare(
        workload, (struct lab_buffer){.bytes = BYTES, .fill = "fill", .fill_parameters = {second ? 2 : 0}});
    size_t halves = lab_workload_output(workload, BYTES);
    size_t sums = lab_workload_declare(
        workload, (struct lab_buffer){.bytes = BYTES, .output = true, .content = LAB_CONTENT_ZEROS});
    if (kind == VARIABLE)
        lab_workload_declare(workload, (struct lab_buffer){.bytes = BYTES, .global = "table"});
    lab_workload_add_step(workload, "halve");
    LAB_ARGUMENTS(workload, LAB_BUFFER(input), LAB_BUFFER(halves));
    lab_workload_launch(workload, 1, 1);
    if (kind == CALL || kind == UNSUPPORTED_CALL)
        halves = add_copy(workload, halves, kind == CALL);
    lab_workload_add_step(workload, "add");
    LAB_ARGUMENTS(workload, LAB_BUFFER(halves), LAB_BUFFER(sums), LAB_U32(FACTOR));
    lab_workload_launch(workload, 1, 1);
    workload->check = (struct lab_workload_check){.kernel = "check",
                                                  .buffer = sums,
                                                  .parameters = {second ? 2 : 0},
                                                  .error = "error",
                                                  .accumulates = kind != NOT_ACCUMULATING};
    workload->counts[LAB_COUNT_STEPS] = STEPS;
    workload->counts[LAB_COUNT_PARTS] = 2 * STEPS;
    workload->records = (struct lab_workload_records){.buffer = sums, .bytes = kind == RIGHT ? sizeof(uint32_t[2]) : 0};
}

/* Reports whether the records are the first results. */
static bool read_sums(const struct lab_report *report, const struct lab_workload *workload, const void *records)
{
    const uint32_t *sums = records;
    const uint64_t seed = (uint64_t)lab_parameter_integer(report->run->parameters, "seed");
    bool right = workload->records.bytes == sizeof(uint32_t[2]) && sums[0] == expected(0, seed, (uint64_t[3]){0}) &&
                 sums[1] == expected(1, seed, (uint64_t[3]){0});
    return lab_report_value(report, "records", right);
}

static const struct lab_benchmark benchmark = {.image = &image, .describe = describe, .read = read_sums};
FAKE_BENCHMARK(experiment, benchmark, .name = "steps", .parameters = parameters, .axes = axes, .metrics = metrics)

static void run_kinds(struct lab_device *device, const char *text, struct results *results)
{
    fills = 0;
    run_experiment(&experiment, device, text, results);
    assert_true(results->good);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

TEST_WITH(the_steps_run_in_order_and_the_last_repetition_is_verified, struct lab_device *device)
{
    struct results results;
    run_kinds(device, "{" FEW "}", &results);
    const struct reported *time = find_reported(&results, "time", "");
    assert_true(time->verified_known && time->verified);
}

TEST_WITH(a_result_that_accumulates_is_wrong_after_several_repetitions, struct lab_device *device)
{
    struct results results;
    run_kinds(device, "{\"kind\": \"not-accumulating\"," FEW "}", &results);
    assert_false(find_reported(&results, "time", "")->verified);
}

TEST_WITH(the_largest_error_is_reported, struct lab_device *device)
{
    struct results results;
    run_kinds(device, "{" FEW "}", &results);
    const struct reported *error = find_reported(&results, "error", "");
    assert_true(error->summary.median == 0.25);
    assert_int_equal(error->summary.n, 1);
    assert_true(error->verified);
}

TEST_WITH(records_of_the_last_repetition_are_read, struct lab_device *device)
{
    struct results results;
    run_kinds(device, "{\"kind\": [\"right\", \"second-fill\"]," FEW "}", &results);
    assert_true(find_reported(&results, "records", "right")->summary.median == 1);
    assert_null(find_reported(&results, "records", "second-fill"));
}

/* The clock of a host device is not known, so there are no cycles. */
TEST_WITH(the_time_of_a_step_is_reported, struct lab_device *device)
{
    struct results results;
    run_kinds(device, "{" FEW "}", &results);
    double step_s = find_reported(&results, "step_time", "")->summary.median;
    assert_true(fabs(step_s * STEPS / find_reported(&results, "time", "")->summary.median - 1) < 1e-9);
    assert_true(fabs(find_reported(&results, "part_time", "")->summary.median / step_s - 0.5) < 1e-9);
    assert_null(find_reported(&results, "step_cycles", ""));
}

TEST_WITH(an_input_is_filled_again_only_with_other_parameters, struct lab_device *device)
{
    struct results results;
    run_kinds(device, "{\"kind\": [\"right\", \"second-fill\", \"same-fill\"]," FEW "}", &results);
    assert_int_equal(fills, 2);
    for (size_t i = 0; i <= SAME_FILL; i++)
        assert_true(find_reported(&results, "time", kinds[i])->verified);
}

TEST_WITH(a_variable_of_the_image_is_skipped_where_there_are_none, struct lab_device *device)
{
    struct results results;
    run_kinds(device, "{\"kind\": [\"variable\", \"right\"]," FEW "}", &results);
    assert_non_null(strstr(find_reported(&results, "step_time", "variable")->skipped, "table"));
    assert_true(find_reported(&results, "time", "right")->verified);
}

TEST_WITH(a_step_can_call_a_library, struct lab_device *device)
{
    struct results results;
    run_kinds(device, "{\"kind\": [\"unsupported-call\", \"call\"]," FEW "}", &results);
    assert_string_equal(find_reported(&results, "step_time", "unsupported-call")->skipped, "no such library");
    assert_true(find_reported(&results, "time", "call")->verified);
}
