/* kernels/benchmark: benchmarks of kernels and copies that are defined here, on the host runtime. */
#include "benchmark/axes.h"
#include "benchmark/check.h"
#include "support/benchmark_harness.h"
#include "support/test.h"

#include <time.h>

enum { BYTES = 4096, ELEMENTS = BYTES / 4, OFFSET = 7 };

/* Parameters with which nothing depends on the speed of the machine. */
#define FEW "\"min_samples\": 3, \"max_samples\": 3, \"settle_s\": 0, \"time_budget_s\": 600"

/* --- kernels: b = a + offset -------------------------------------------------------------------------------------- */

/* What the kernels do wrong, and how often they have been launched. */
static struct behaviour {
    bool wrong_before_check, wrong_after_check; /* a check separates the timed repetitions from the last one */
    size_t slow_after;                          /* launches after which the kernel is slow; 0: never */
    atomic_size_t launches, checks;
} behaviour;

static void sleep_ms(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static void add(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const uint32_t *a = arguments[0].pointer;
    uint32_t *b = arguments[1].pointer;
    uint64_t begin, end;
    if (part->index == 0 && behaviour.slow_after > 0)
        sleep_ms(++behaviour.launches > behaviour.slow_after ? 150 : 1);
    lab_host_part_range(part, arguments[3].u64, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        b[i] = a[i] + arguments[2].u32;
    bool wrong = behaviour.checks == 0 ? behaviour.wrong_before_check : behaviour.wrong_after_check;
    if (wrong && begin <= ELEMENTS / 2 && ELEMENTS / 2 < end)
        b[ELEMENTS / 2]++;
}

/* `given`: offset, content of the input, index of its buffer */
static uint32_t expected(uint64_t i, uint64_t seed, const uint64_t given[3])
{
    uint64_t of_input = seed + given[2];
    bool ints = given[1] == LAB_CONTENT_INTS;
    return (ints ? (uint32_t)lab_pattern_int(i, of_input) : lab_pattern_word(i, of_input)) + (uint32_t)given[0];
}

LAB_CHECK_HOST(benchmark_compare, expected)

static void check(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    host_benchmark_compare(part, arguments);
    if (part->index == 0)
        behaviour.checks++;
}

static const struct lab_host_kernel host_kernels[] = {{"add", add}, {"check", check}, {NULL, NULL}};
static const struct lab_image image = {"test", NULL, host_kernels};

/* --- the benchmark of kernels ------------------------------------------------------------------------------------- */

enum { CONTENT, CACHE, LOAD };
enum { WORDS, INTS, OUTPUT_FIRST, WORDS_AGAIN, UNSUPPORTED, MISSING };

static const char *const contents[] = {"words", "ints", "output-first", "words-again", "unsupported", "missing", NULL};

static const struct lab_schema parameters[] = {
    {.name = "content",
     .title = "Content",
     .text = "What the input holds.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = contents,
     .fallback = "[\"words\"]"},
    {LAB_CACHE_PARAMETER},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    [CONTENT] = {.name = "content", .title = "Content"},
    [CACHE] = {LAB_CACHE_AXIS},
    [LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {.name = "bandwidth", .title = "Bandwidth", .unit = "GB/s", .formula = "bytes / time", .counter = LAB_COUNT_BYTES},
    LAB_KERNEL_METRICS,
    {.name = "figure", .title = "Figure", .unit = "1", .formula = "computed"},
    {.name = NULL},
};

static double stated_seconds;

static void describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                     const struct lab_point *point, struct lab_workload *workload)
{
    enum lab_content content = point->values[CONTENT] == INTS ? LAB_CONTENT_INTS : LAB_CONTENT_WORDS;
    size_t in = point->values[CONTENT] == OUTPUT_FIRST, out = 1 - in;
    (void)given, (void)device;
    workload->counts[LAB_COUNT_BYTES] = 2 * BYTES;
    if (point->values[CONTENT] == UNSUPPORTED) {
        snprintf(workload->skipped, sizeof workload->skipped, "not on this device");
        return;
    }
    if (out == 0)
        lab_workload_output(workload, BYTES);
    lab_workload_input(workload, BYTES, content);
    if (out == 1)
        lab_workload_output(workload, BYTES);
    lab_workload_add_step(workload, point->values[CONTENT] == MISSING ? "subtract" : "add");
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out), LAB_U32(OFFSET), LAB_U64(ELEMENTS));
    lab_workload_launch(workload, 1, 1);
    workload->check =
        (struct lab_workload_check){.kernel = "check", .buffer = out, .parameters = {OFFSET, content, in}};
    workload->seconds = stated_seconds;
    lab_workload_add_figure(workload, "figure", 42);
}

static const struct lab_benchmark of_kernels = {.image = &image, .describe = describe};
FAKE_BENCHMARK(experiment, of_kernels, .name = "test", .parameters = parameters, .axes = axes, .metrics = metrics)

static void run_kernels(struct lab_device *device, const char *text, struct results *results)
{
    behaviour.launches = behaviour.checks = 0;
    run_experiment(&experiment, device, text, results);
    assert_true(results->good);
    behaviour = (struct behaviour){0};
}

/* --- tests of kernels --------------------------------------------------------------------------------------------- */

/* The result depends on all arguments. */
DEVICE_TEST(the_kernel_gets_its_arguments_and_is_verified)
{
    struct results results;
    run_kernels(device, "{" FEW "}", &results);
    const struct reported *time = find_reported(&results, "time", "");
    assert_true(time->verified_known && time->verified);
    assert_int_equal(time->wrong, 0);
    assert_int_equal(time->summary.n, 3);
    assert_false(results.any_wrong);
    assert_true(find_reported(&results, "figure", "")->summary.median == 42);
    const struct reported *bandwidth = find_reported(&results, "bandwidth", "");
    assert_true(fabs(bandwidth->summary.median * time->summary.median * 1e9 - 2 * BYTES) < 1e-6);
}

static void expect_one_wrong(struct lab_device *device, bool before, bool after)
{
    struct results results;
    behaviour.wrong_before_check = before;
    behaviour.wrong_after_check = after;
    run_kernels(device, "{" FEW "}", &results);
    const struct reported *time = find_reported(&results, "time", "");
    assert_true(time->verified_known && !time->verified);
    assert_int_equal(time->wrong, 1);
    assert_true(results.any_wrong);
}

DEVICE_TEST(a_wrong_element_is_found)
{
    expect_one_wrong(device, true, true);
}

DEVICE_TEST(an_element_that_is_wrong_only_in_the_timed_repetitions_is_found)
{
    expect_one_wrong(device, true, false);
}

DEVICE_TEST(an_element_that_is_wrong_only_in_the_last_repetition_is_found)
{
    expect_one_wrong(device, false, true);
}

/* The last third of the samples is slow, the first third is not: warm-up and calibration take at least 2 launches. */
DEVICE_TEST(a_kernel_that_slows_down_drifts)
{
    struct results results;
    behaviour.slow_after = 8;
    run_kernels(device, "{\"min_samples\": 12, \"max_samples\": 12, \"settle_s\": 0, \"time_budget_s\": 600}",
                &results);
    assert_string_equal(find_reported(&results, "time", "")->stop_reason, "drifting");
}

DEVICE_TEST(a_point_is_skipped_with_its_reason)
{
    struct results results;
    run_kernels(device, "{\"content\": [\"unsupported\", \"missing\", \"words\"]," FEW "}", &results);
    assert_string_equal(find_reported(&results, "bandwidth", "unsupported")->skipped, "not on this device");
    assert_non_null(strstr(find_reported(&results, "bandwidth", "missing")->skipped, "subtract"));
    assert_null(find_reported(&results, "time", "missing"));
    assert_true(find_reported(&results, "time", "\"words\"")->verified);
}

/* The memory of an input becomes that of an output, and again that of an input with the same content or another one. */
DEVICE_TEST(reused_buffers_are_filled_again)
{
    struct results results;
    run_kernels(device, "{\"content\": [\"words\", \"output-first\", \"words-again\", \"ints\"]," FEW "}", &results);
    for (size_t i = 0; i <= WORDS_AGAIN; i++) {
        char point[32];
        snprintf(point, sizeof point, "\"%s\"", contents[i]);
        assert_true(find_reported(&results, "time", point)->verified);
    }
}

DEVICE_TEST(axis_and_measurement_agree_on_the_cache)
{
    struct results results;
    run_kernels(device, "{\"cache\": [\"warm\", \"cold\"]," FEW "}", &results);
    assert_string_equal(find_reported(&results, "time", "\"cache\":\"warm\"")->cache, "warm");
    assert_string_equal(find_reported(&results, "time", "\"cache\":\"cold\"")->cache, "cold");
}

DEVICE_TEST(a_pause_before_each_sample_makes_the_load_a_burst)
{
    struct results results;
    run_kernels(device, "{" FEW "}", &results);
    assert_non_null(find_reported(&results, "time", "\"load\":\"sustained\""));
    run_kernels(device, "{\"rest_s\": 0.001," FEW "}", &results);
    assert_non_null(find_reported(&results, "time", "\"load\":\"burst\""));
    assert_null(find_reported(&results, "time", "\"load\":\"sustained\""));
}

static double seconds_of_run(struct lab_device *device, const char *text, struct results *results)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    run_kernels(device, text, results);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}

/* Three samples of the bursts have a pause, and none of the others. */
DEVICE_TEST(one_run_measures_each_point_sustained_and_in_bursts)
{
    struct results results;
    double seconds = seconds_of_run(
        device, "{\"load\": [\"sustained\", \"burst\"], \"rest_s\": 0.5, \"content\": [\"words\", \"ints\"]," FEW "}",
        &results);
    for (size_t i = WORDS; i <= INTS; i++)
        for (size_t load = LAB_SUSTAINED; load <= LAB_BURST; load++) {
            char point[96];
            snprintf(point, sizeof point, "\"content\":\"%s\",\"load\":\"%s\"", contents[i], lab_loads[load]);
            assert_true(find_reported(&results, "time", point)->verified);
        }
    assert_true(seconds >= 2 * 3 * 0.5 && seconds < 4 * 3 * 0.5);
    assert_true(seconds_of_run(device, "{" FEW "}", &results) < 3 * 0.5);
}

/* --- figures of several points ------------------------------------------------------------------------------------ */

static size_t summaries, summarised;

static bool count_summaries(struct lab_run *run, const struct lab_medians *medians)
{
    int64_t load = medians->items[0].point.values[LOAD];
    (void)run;
    summaries++;
    for (size_t i = 0; i < medians->count; i++)
        summarised += medians->items[i].point.values[LOAD] == load;
    return true;
}

DEVICE_TEST(figures_of_several_points_do_not_mix_loads)
{
    static const struct lab_benchmark summarising = {
        .image = &image, .describe = describe, .summarise = count_summaries};
    struct lab_experiment other = experiment;
    struct results results;
    other.benchmark = &summarising;
    behaviour = (struct behaviour){0};
    run_experiment(&other, device,
                   "{\"load\": [\"burst\", \"sustained\"], \"rest_s\": 0.001, \"content\": [\"words\", \"ints\"]," FEW
                   "}",
                   &results);
    assert_true(results.good);
    assert_int_equal(summaries, 2);
    assert_int_equal(summarised, 4);
    behaviour = (struct behaviour){0};
}

/* The facts are changed, so that the cache holds both buffers, or less. */
DEVICE_TEST(work_that_fits_in_the_cache_has_no_share_of_the_memory_s_peak)
{
    struct lab_device_facts facts = device->facts;
    struct results results;
    device->facts.memory_peak_bytes_per_s = 1e15;
    device->facts.l2_bytes = 2 * BYTES;
    run_kernels(device, "{\"content\": [\"words\", \"ints\"]," FEW "}", &results);
    assert_null(find_reported(&results, "share_of_peak", ""));
    assert_string_equal(find_reported(&results, "bandwidth", "\"words\"")->peak, "");
    assert_int_equal(results.warning_count, 0);
    assert_int_equal(results.note_count, 1);
    assert_non_null(strstr(results.note, "last-level cache"));

    device->facts.l2_bytes = 2 * BYTES - 1;
    run_kernels(device, "{" FEW "}", &results);
    assert_non_null(find_reported(&results, "share_of_peak", ""));
    assert_string_equal(find_reported(&results, "bandwidth", "")->peak, "device memory");
    assert_int_equal(results.warning_count + results.note_count, 0);
    device->facts = facts;
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

enum { MEMORY, SHAPE };
enum { WHOLE, PIECES, ROWS, ROW_BY_ROW, BY_KERNEL, TOGETHER };

static const char *const memories[] = {"device", "pageable", "pinned", "write-combined", "mapped", NULL};
static const char *const shapes[] = {"whole", "pieces", "rows", "row-by-row", "by-kernel", "together", NULL};

static const struct lab_schema copy_parameters[] = {
    {.name = "memory",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = memories,
     .fallback = "[\"device\"]"},
    {.name = "shape", .type = LAB_TYPE_CHOICE, .count = LAB_ONE_OR_LIST, .choices = shapes, .fallback = "[\"whole\"]"},
    {.name = NULL},
};

static const struct lab_axis copy_axes[] = {
    [MEMORY] = {.name = "memory", .title = "Memory"},
    [SHAPE] = {.name = "shape", .title = "Shape"},
    {.name = NULL},
};

static const struct lab_metric copy_metrics[] = {
    {.name = "bandwidth", .unit = "GB/s", .counter = LAB_COUNT_BYTES},
    {.name = "aggregate", .unit = "GB/s", .counter = LAB_COUNT_AGGREGATE_BYTES},
    {.name = "time", .unit = "s", .counter = LAB_COUNT_SECONDS},
    {.name = "share_of_peak", .unit = "1"},
    {.name = NULL},
};

static void describe_copies(const struct lab_parameters *given, const struct lab_device_facts *device,
                            const struct lab_point *point, struct lab_workload *workload)
{
    enum { ROW = 100, PITCH = 128, COPIED = 40 * ROW };
    int64_t shape = point->values[SHAPE];
    struct lab_buffer source = {.memory = (enum lab_memory)point->values[MEMORY], .bytes = COPIED};
    if (shape == ROWS || shape == ROW_BY_ROW) {
        source.width = ROW;
        source.pitch = PITCH;
    }
    struct lab_buffer destination = source;
    destination.memory = LAB_MEMORY_DEVICE;
    destination.output = true;
    (void)given, (void)device;
    if (shape == BY_KERNEL && source.memory == LAB_MEMORY_PAGEABLE)
        snprintf(workload->skipped, sizeof workload->skipped, "a kernel cannot access it");
    for (size_t i = 0; i < (shape == TOGETHER ? 2 : 1); i++)
        lab_workload_add_copy(workload,
                              (struct lab_workload_copy){.source = lab_workload_declare(workload, source),
                                                         .destination = lab_workload_declare(workload, destination),
                                                         .piece_bytes = shape == PIECES       ? 333
                                                                        : shape == ROW_BY_ROW ? ROW
                                                                                              : 0,
                                                         .by_kernel = shape == BY_KERNEL});
    workload->counts[shape == TOGETHER ? LAB_COUNT_AGGREGATE_BYTES : LAB_COUNT_BYTES] = COPIED;
}

static const struct lab_benchmark of_copies = {.describe = describe_copies};
FAKE_BENCHMARK(copies, of_copies, .name = "copies", .parameters = copy_parameters, .axes = copy_axes,
               .metrics = copy_metrics)

static const char all_copies[] =
    "{\"memory\": [\"device\", \"pageable\", \"pinned\", \"write-combined\", \"mapped\"], \"shape\": [\"whole\","
    "\"pieces\", \"rows\", \"row-by-row\", \"by-kernel\", \"together\"]," FEW "}";

/* Host devices have no write-combined memory, and no kernel accesses pageable memory. */
static bool is_supported(size_t memory, size_t shape)
{
    return memory != LAB_MEMORY_WRITE_COMBINED && (memory != LAB_MEMORY_PAGEABLE || shape != BY_KERNEL);
}

DEVICE_TEST(copies_of_every_memory_and_shape_are_verified)
{
    struct results results;
    run_experiment(&copies, device, all_copies, &results);
    assert_true(results.good);
    for (size_t m = 0; memories[m] != NULL; m++)
        for (size_t i = 0; i <= TOGETHER; i++) {
            char point[64];
            snprintf(point, sizeof point, "\"memory\":\"%s\",\"shape\":\"%s\"", memories[m], shapes[i]);
            const char *metric = i == TOGETHER ? "aggregate" : "bandwidth";
            const struct reported *found = find_reported(&results, metric, point);
            if (found == NULL || is_supported(m, i) != (found->verified_known && found->verified))
                fail_msg("%s: %s", point, found != NULL ? found->skipped : "not reported");
            assert_true(is_supported(m, i) || strlen(found->skipped) > 0);
        }
}

/* The writes that are counted before the copies: a fill of each source, poisoning of each destination. */
TEST(a_byte_that_is_copied_wrongly_is_found)
{
    static const char *const cases[][2] = {{"whole", "wrong-result@3"},     {"pieces", "wrong-result@5"},
                                           {"rows", "wrong-result@3"},      {"row-by-row", "wrong-result@42"},
                                           {"by-kernel", "wrong-result@3"}, {"together", "wrong-result@5"},
                                           {"together", "wrong-result@6"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct results results;
        char text[160];
        struct lab_device *device = open_with(0, cases[i][1]);
        snprintf(text, sizeof text, "{\"shape\": \"%s\", " FEW "}", cases[i][0]);
        run_experiment(&copies, device, text, &results);
        assert_true(results.good);
        if (!results.any_wrong || find_reported(&results, "time", "")->wrong != 1)
            fail_msg("%s with %s: the wrong element was not found", cases[i][0], cases[i][1]);
        close_and_stop(device);
    }
}

DEVICE_TEST(copies_over_the_link_are_compared_with_its_peak)
{
    struct lab_device_facts facts = device->facts;
    struct results results;
    device->facts.pcie_peak_bytes_per_s = 1e15;
    device->facts.pcie_max_generation = 5;
    device->facts.pcie_max_width = 16;
    device->facts.memory_peak_bytes_per_s = 1e15;
    device->facts.l2_bytes = 1;
    run_experiment(&copies, device,
                   "{\"memory\": [\"pinned\", \"device\"], \"shape\": [\"whole\", \"together\"]," FEW "}", &results);
    assert_string_equal(find_reported(&results, "bandwidth", "pinned")->peak, "PCIe gen5 x16, one direction");
    assert_string_equal(find_reported(&results, "aggregate", "pinned")->peak, "PCIe gen5 x16, both directions");
    assert_string_equal(find_reported(&results, "bandwidth", "device")->peak, "device memory");
    device->facts = facts;
}

/* --- plans -------------------------------------------------------------------------------------------------------- */

TEST(the_gaps_between_rows_count_as_memory)
{
    struct lab_workload workload = {0};
    lab_workload_declare(&workload, (struct lab_buffer){.bytes = 1000, .width = 100, .pitch = 128});
    lab_workload_declare(&workload, (struct lab_buffer){.memory = LAB_MEMORY_PINNED, .bytes = 5});
    lab_workload_output(&workload, 7);
    assert_int_equal(lab_workload_bytes(&workload, true), 1280 + 7);
    assert_int_equal(lab_workload_bytes(&workload, false), 5);
    const struct lab_buffer largest = {.bytes = SIZE_MAX, .width = 1, .pitch = 2};
    assert_int_equal(lab_buffer_bytes(&largest), SIZE_MAX / 16);
}

/* The plan of a request on a host device, or on one of CUDA. */
static struct lab_estimate plan(const char *text, const char *backend)
{
    struct lab_errors errors = {0};
    struct lab_estimate estimate;
    struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts};
    json_t *given = json_loads(text, 0, NULL);
    struct lab_parameters *of_request = lab_parameters_parse(&experiment, given, &errors);
    lab_facts_clear(&facts);
    snprintf(facts.backend, sizeof facts.backend, "%s", backend);
    assert_true(lab_benchmark_plan(of_request, devices, 1, &estimate, &errors));
    lab_parameters_free(of_request);
    json_decref(given);
    return estimate;
}

TEST(points_that_are_skipped_take_no_time)
{
    struct lab_estimate estimate = plan("{\"content\": [\"unsupported\", \"missing\"]}", "host");
    assert_int_equal(estimate.points, 2);
    assert_int_equal(estimate.device_bytes, 0);
    assert_true(estimate.seconds == 0);
    assert_true(plan("{\"content\": [\"missing\"]}", "cuda").seconds > 0); /* only the host's kernels are listed */
    estimate = plan("{\"content\": [\"words\", \"unsupported\"]}", "host");
    assert_int_equal(estimate.device_bytes, 2 * BYTES);
    assert_true(estimate.seconds > 0);
}

/* A point repeats the work for its samples, for warm-up and calibration, and to verify it. */
TEST(the_stated_time_of_a_repetition_is_that_of_the_estimate)
{
    stated_seconds = 1;
    double seconds = plan("{" FEW "}", "host").seconds;
    assert_true(seconds > 3 && seconds < 10);
    stated_seconds = 0;
    seconds = plan("{" FEW "}", "host").seconds;
    assert_true(seconds < 1);
}

/* A repetition cannot be cancelled. */
DEVICE_TEST(a_point_whose_repetition_is_too_long_is_skipped)
{
    struct results results;
    stated_seconds = 300;
    run_kernels(device, "{" FEW "}", &results);
    assert_non_null(strstr(find_reported(&results, "bandwidth", "")->skipped, "raise time_budget_s"));
    assert_true(plan("{" FEW "}", "host").seconds < 1);
    stated_seconds = 10;
    run_kernels(device, "{" FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
    stated_seconds = 0;
}

/* At its full length, 10 samples and more, each point takes longer than its share of the budget, a quarter. The last
 * two take nothing. */
TEST(points_take_at_most_their_share_of_the_budget)
{
    stated_seconds = 1;
    double seconds =
        plan("{\"content\": [\"words\", \"ints\", \"unsupported\", \"missing\"], \"time_budget_s\": 40}", "host")
            .seconds;
    assert_true(fabs(seconds - 20) < 0.1);
    stated_seconds = 0;
}
