/* kernels/experiments/program/counting.c and passes.c: the hardware counters of the kernels of a program. The program
 * is that of tests/tracer, with a library in place of CUPTI that counts one metric in a pass; skipped where CUPTI's
 * headers lack the Range Profiler, or nothing protects the machine. */
#include "experiments/program/counting.h"
#include "experiments/program/passes.h"
#include "support/test.h"
#include "support/trace_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM LAB_TEST_BUILD "/tracer/traced_program"
#define COUNTING LAB_TEST_BUILD "/tracer/fake_counting.so"

/* --- what a run is told ------------------------------------------------------------------------------------------- */

static struct {
    char notes[4000];
    size_t kernels;
    char names[4][128];
    double launches[4];
    struct lab_hardware_counts counts[4];
} told;

static void keep_note(void *context, const char *text)
{
    size_t length = strlen(told.notes);
    (void)context;
    snprintf(told.notes + length, sizeof told.notes - length, "%s\n", text);
}

static void keep_measurement(void *context, const struct lab_measurement *measurement)
{
    (void)context;
    assert_true(told.kernels < 4 && measurement->axes.count == 1 && measurement->sample_count == 0);
    assert_string_equal(measurement->metric, "launches");
    assert_string_equal(measurement->axes.items[0].axis, "kernel");
    snprintf(told.names[told.kernels], sizeof told.names[0], "%s", measurement->axes.items[0].text);
    told.launches[told.kernels] = measurement->summary.median;
    told.counts[told.kernels++] = *measurement->counters;
}

static void ignore_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    (void)label;
    assert_true(done < total);
}

static atomic_bool cancelled;
static struct lab_run run;
static struct program_counting counting;

static int begin(void **state)
{
    (void)state;
    cancelled = false;
    memset(&told, 0, sizeof told);
    run = (struct lab_run){.sink = {.note = keep_note, .measurement = keep_measurement, .progress = ignore_progress},
                           .cancel = &cancelled};
    program_counting_init(&counting);
    return 0;
}

static int release(void **state)
{
    (void)state;
    program_counting_release(&counting);
    return 0;
}
AROUND_EACH_TEST(.setup = begin, .teardown = release)

static const struct lab_hardware_count *count_of(size_t kernel, enum lab_hardware_counter counter)
{
    return &told.counts[kernel].items[counter];
}

/* --- passes that are made up -------------------------------------------------------------------------------------- */

static struct trace_builder builder;

static void begin_pass(enum lab_hardware_counter counter, const char *metric)
{
    builder = (struct trace_builder){0};
    trace_begin(&builder, TRACE_PROCESS, 1);
    uint32_t name = metric != NULL ? trace_name(&builder, metric) : 0;
    TRACE_ADD(&builder, METRIC, lab_trace_metric, .counter = counter, .name = name);
}

static void add_launch(const char *kernel, enum lab_hardware_counter counter, double value)
{
    struct lab_trace_launch launch = {.name = trace_name(&builder, kernel)};
    for (size_t i = 0; i < LAB_TRACE_COUNTERS_MAX; i++)
        launch.counts[i] = (double)NAN;
    launch.counts[counter] = value;
    trace_add(&builder, LAB_TRACE_TYPE_LAUNCH, &launch, sizeof launch);
}

static bool add_pass(struct lab_error *error)
{
    struct lab_trace trace;
    assert_true(trace_read(&builder, &trace));
    bool good = program_counting_add(&counting, &trace, error);
    lab_trace_release(&trace);
    return good;
}

static void expect_refusal(const char *text)
{
    struct lab_error error = {0};
    assert_false(add_pass(&error));
    assert_int_equal(error.code, LAB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.detail, text));
}

static void end_pass(void)
{
    struct lab_error error = {0};
    trace_end(&builder, 1000);
    assert_true(add_pass(&error));
}

TEST(amounts_are_added_and_ratios_averaged_over_the_launches_of_a_kernel)
{
    begin_pass(LAB_HARDWARE_DRAM_READ_BYTES, "dram__bytes_read.sum");
    add_launch("void scale<float>(float*, int)", LAB_HARDWARE_DRAM_READ_BYTES, 100);
    add_launch("fill(int*)", LAB_HARDWARE_DRAM_READ_BYTES, 7);
    add_launch("void scale<float>(float*, int)", LAB_HARDWARE_DRAM_READ_BYTES, 300);
    end_pass();
    begin_pass(LAB_HARDWARE_OCCUPANCY, "sm__warps_active");
    add_launch("void scale<float>(float*, int)", LAB_HARDWARE_OCCUPANCY, 0.2);
    add_launch("fill(int*)", LAB_HARDWARE_OCCUPANCY, (double)NAN);
    add_launch("void scale<float>(float*, int)", LAB_HARDWARE_OCCUPANCY, 0.6);
    end_pass();
    program_counting_send(&counting, &run);
    assert_int_equal(told.kernels, 2);
    assert_string_equal(told.names[0], "scale<float>");
    assert_float_equal(told.launches[0], 2, 0);
    assert_float_equal(count_of(0, LAB_HARDWARE_DRAM_READ_BYTES)->value, 400, 0);
    assert_string_equal(count_of(0, LAB_HARDWARE_DRAM_READ_BYTES)->metric, "dram__bytes_read.sum");
    assert_float_equal(count_of(0, LAB_HARDWARE_OCCUPANCY)->value, 0.4, 1e-12);
    assert_true(isnan(count_of(0, LAB_HARDWARE_TIME)->value));
    assert_string_equal(told.names[1], "fill");
    assert_float_equal(told.launches[1], 1, 0);
    assert_true(isnan(count_of(1, LAB_HARDWARE_OCCUPANCY)->value));
    assert_non_null(strstr(told.notes, "hardware counters that do not fit into 8 passes: dram_written_bytes, time, "));
    assert_null(strstr(told.notes, "dram_read_bytes"));
}

TEST(kernels_with_the_same_short_name_have_their_whole_names)
{
    begin_pass(LAB_HARDWARE_TIME, "gpu__time_duration.sum");
    add_launch("fill(int*)", LAB_HARDWARE_TIME, 1);
    add_launch("fill(float*)", LAB_HARDWARE_TIME, 2);
    end_pass();
    program_counting_send(&counting, &run);
    assert_string_equal(told.names[0], "fill(int*)");
    assert_string_equal(told.names[1], "fill(float*)");
}

TEST(each_counter_is_asked_for_once_and_at_most_8_times)
{
    char text[PROGRAM_COUNTERS_SIZE], *rest = text;
    bool seen[LAB_HARDWARE_COUNTER_COUNT] = {0};
    assert_true(program_counting_next(&counting, text));
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++, rest += *rest == ',') {
        long number = strtol(rest, &rest, 10);
        assert_false(seen[number]);
        seen[number] = true;
    }
    assert_string_equal(rest, "");
    for (int pass = 0; pass < PROGRAM_PASSES_MAX; pass++) {
        assert_true(program_counting_next(&counting, text));
        begin_pass((enum lab_hardware_counter)pass, "metric");
        add_launch("fill", (enum lab_hardware_counter)pass, 1);
        end_pass();
    }
    assert_false(program_counting_next(&counting, text));
}

TEST(a_pass_in_which_nothing_more_fits_is_the_last)
{
    char text[PROGRAM_COUNTERS_SIZE];
    begin_pass(LAB_HARDWARE_STALL_GMMA, NULL); /* the device has no such counter */
    end_pass();
    assert_false(program_counting_next(&counting, text));
    program_counting_send(&counting, &run);
    assert_null(strstr(told.notes, "stall_gmma"));
}

TEST(launches_that_differ_between_passes_are_refused)
{
    static const char *const others[][2] = {{"scale", NULL}, {"scale", "copy"}};
    begin_pass(LAB_HARDWARE_TIME, "time");
    add_launch("scale", LAB_HARDWARE_TIME, 1);
    add_launch("fill", LAB_HARDWARE_TIME, 1);
    end_pass();
    for (size_t i = 0; i < 2; i++) {
        begin_pass(LAB_HARDWARE_CYCLES, "cycles");
        for (size_t k = 0; k < 2 && others[i][k] != NULL; k++)
            add_launch(others[i][k], LAB_HARDWARE_CYCLES, 1);
        trace_end(&builder, 1000);
        expect_refusal(i == 0 ? "launches 2 kernels in one execution and 1 in another"
                              : "launch 2 of the program is that of 'fill' in one execution and that of 'copy'");
    }
}

TEST(too_many_different_kernels_are_refused)
{
    char name[16];
    begin_pass(LAB_HARDWARE_TIME, "time");
    for (size_t i = 0; i <= PROGRAM_COUNTED_KERNELS_MAX; i++) {
        snprintf(name, sizeof name, "kernel%zu", i);
        add_launch(name, LAB_HARDWARE_TIME, 1);
    }
    trace_end(&builder, 1000);
    expect_refusal("the program launches more than 1024 different kernels");
}

TEST(a_pass_that_is_not_whole_is_refused)
{
    begin_pass(LAB_HARDWARE_TIME, "time");
    add_launch("scale", LAB_HARDWARE_TIME, 1);
    expect_refusal("did not end by exit()");

    begin_pass(LAB_HARDWARE_TIME, "time");
    add_launch("scale", LAB_HARDWARE_TIME, 1);
    TRACE_ADD(&builder, LOST, lab_trace_lost, .reason = LAB_TRACE_LOSS_LIMIT, .records = 5);
    trace_end(&builder, 1000);
    expect_refusal("the trace had reached its limit of bytes");

    begin_pass(LAB_HARDWARE_TIME, "time");
    trace_note(&builder, "the driver lets only administrators read hardware counters");
    trace_end(&builder, 1000);
    expect_refusal("only administrators");

    builder = (struct trace_builder){0};
    expect_refusal("the program did not initialise CUDA");

    builder = (struct trace_builder){0};
    trace_begin(&builder, TRACE_PROCESS, 1);
    trace_end(&builder, 1000);
    expect_refusal("the program launched no kernel");
}

TEST(the_processes_of_a_program_are_not_counted_together)
{
    begin_pass(LAB_HARDWARE_TIME, "time");
    add_launch("scale", LAB_HARDWARE_TIME, 1);
    trace_end(&builder, 1000);
    trace_begin(&builder, TRACE_PROCESS + 1, 1);
    trace_end(&builder, 1000);
    expect_refusal("several processes of the program use the GPU");
}

/* --- passes of a program ------------------------------------------------------------------------------------------ */

/* Counts the program of tests/tracer, which ends as `way` says. */
static bool count(const char *way, double limit_s)
{
    struct lab_error error;
    json_t *sandbox = program_sandbox(NULL, &error);
    bool protected = sandbox != NULL;
    json_decref(sandbox);
    if (!protected || access(COUNTING, F_OK) != 0)
        skip();
    struct program_output output = {.run = &run};
    struct program program = {.run = &run,
                              .output = &output,
                              .tracer = {.library = LAB_TEST_BUILD "/gpulab-trace.so", .cupti = COUNTING},
                              .command = json_pack("{s:[s,s], s:f}", "command", PROGRAM, way, "limit_s", limit_s)};
    assert_true(program_folder_make(&program.folder, &error));
    bool good = program_count(&program, &run);
    assert_true(program_folder_remove(&program.folder));
    json_decref(program.command);
    return good;
}

TEST(a_program_is_executed_once_for_each_pass)
{
    assert_true(count("count", 60));
    assert_int_equal(told.kernels, 3);
    assert_string_equal(told.names[0], "scale");
    assert_float_equal(told.launches[0], 150, 0);
    assert_float_equal(told.launches[1], 150, 0);
    assert_string_equal(told.names[2], "CUDA-graph");
    assert_float_equal(told.launches[2], 1, 0);
    assert_float_equal(count_of(2, LAB_HARDWARE_DRAM_READ_BYTES)->value, 10 + 44, 0); /* the 45th of its group */
    assert_float_equal(count_of(2, LAB_HARDWARE_OCCUPANCY)->value, 0.54, 1e-9);
    assert_float_equal(count_of(2, LAB_HARDWARE_L1_HIT_RATE)->value, 0.54, 1e-9);
    assert_true(isnan(count_of(2, LAB_HARDWARE_TIME)->value));
    assert_null(strstr(told.notes, "no hardware counters"));
    assert_null(strstr(told.notes, "do not fit"));
    assert_non_null(strstr(told.notes, "Launches without hardware counters: 1, because they are in another context"));
    assert_int_equal(run.error.code, 0);
}

/* Whatever happens in a pass, the run goes on without counters. */
TEST(what_prevents_the_counting_of_a_program_is_a_note)
{
    static const struct {
        const char *way, *note;
        double limit_s;
    } failures[] = {
        {"launch", "no hardware counters: while it was counted, the program exited with code 7", 60},
        {"turn",
         "no hardware counters: launch 1 of the program is that of 'copy' in one execution and that of 'other' in "
         "another, so that they cannot be matched",
         60},
        {"well", "no hardware counters: the program launched no kernel", 60},
        {"wait", "no hardware counters: The program", 0.3},
    };
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        told.notes[0] = '\0';
        assert_true(count(failures[i].way, failures[i].limit_s));
        assert_non_null(strstr(told.notes, failures[i].note));
        assert_int_equal(told.kernels, 0);
        assert_int_equal(run.error.code, 0);
    }
}

TEST(a_run_that_is_cancelled_while_it_counts_ends)
{
    cancelled = true;
    assert_false(count("wait", 60));
    assert_string_equal(told.notes, "");
}
