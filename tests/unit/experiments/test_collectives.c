/* kernels/experiments/multi_gpu/collectives: the points of a request, refused requests, bandwidths, runtimes without
 * collectives; and with collectives in plain C on host devices (fake_collective.h): correct results pass verification,
 * and injected errors are detected and counted.
 */
#include "descriptor/parameters.h"
#include "experiments/multi_gpu/collectives/collectives.h"
#include "experiments/multi_gpu/collectives/summands.h"
#include "host/host.h"
#include "measure/run.h"
#include "support/fake_collective.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab_experiment lab_collectives;

enum { DEVICES = 3 };

/* --- plans -------------------------------------------------------------------------------------------------------- */

static struct lab_parameters *parse(const char *text)
{
    struct lab_errors errors = {0};
    json_t *given = json_loads(text, 0, NULL);
    struct lab_parameters *parameters = lab_parameters_parse(&lab_collectives, given, &errors);
    json_decref(given);
    if (parameters == NULL)
        fail_msg("%s: %s", text, errors.items[0].detail);
    return parameters;
}

struct plan {
    bool good;
    struct lab_estimate estimate;
    struct lab_errors errors;
};

/* The plan on `device_count` devices of 1 GiB. */
static struct plan plan_on(size_t device_count, const char *text)
{
    struct plan plan = {0};
    struct lab_device_facts facts;
    const struct lab_device_facts *devices[LAB_RUN_DEVICES_MAX];
    lab_facts_clear(&facts);
    snprintf(facts.name, sizeof facts.name, "Test device");
    facts.total_memory_bytes = 1 << 30;
    for (size_t i = 0; i < device_count; i++)
        devices[i] = &facts;
    struct lab_parameters *parameters = parse(text);
    plan.good = lab_collectives.plan(parameters, devices, device_count, &plan.estimate, &plan.errors);
    lab_parameters_free(parameters);
    return plan;
}

static void expect_points(size_t device_count, const char *text, size_t points)
{
    struct plan plan = plan_on(device_count, text);
    if (!plan.good)
        fail_msg("%s: %s", text, plan.errors.items[0].detail);
    if (plan.estimate.points != points)
        fail_msg("%s has %zu points, not %zu", text, plan.estimate.points, points);
}

static void expect_refusal(size_t device_count, const char *text, const char *code, const char *pointer)
{
    struct plan plan = plan_on(device_count, text);
    assert_false(plan.good);
    assert_int_equal(plan.errors.count, 1);
    assert_string_equal(lab_error_name(plan.errors.items[0].code), code);
    assert_string_equal(plan.errors.items[0].pointer, pointer);
}

TEST(points_combine_operation_size_in_place_and_device_count)
{
    /* 10 sizes (1 KiB to 256 MiB with factor 4) of 5 operations, in place and out of place */
    expect_points(2, "{\"max_bytes\": 268435456}", 10 * 5 * 2);
    expect_points(2, "{\"operation\": \"broadcast\", \"in_place\": false, \"max_bytes\": 1024}", 1);
    expect_points(4,
                  "{\"operation\": \"broadcast\", \"in_place\": false, \"max_bytes\": 1024,"
                  " \"device_count\": [2, 3, 0]}",
                  3);
    /* 1000, 3000, 9000, 10000 */
    expect_points(2,
                  "{\"operation\": \"broadcast\", \"in_place\": false, \"min_bytes\": 1000, \"max_bytes\": 10000,"
                  " \"factor\": 3}",
                  4);
}

TEST(sizes_that_round_to_the_same_are_one_point)
{
    const char *text =
        "{\"operation\": \"%s\", \"in_place\": false, \"min_bytes\": 256, \"max_bytes\": 271,"
        " \"factor\": 1.01}";
    char of_parts[160], of_arrays[160];
    snprintf(of_parts, sizeof of_parts, text, "all-gather");
    snprintf(of_arrays, sizeof of_arrays, text, "all-reduce");
    expect_points(2, of_parts, 1);  /* sizes are rounded down to multiples of 32 bytes */
    expect_points(2, of_arrays, 4); /* sizes are rounded down to elements of 4 bytes */
}

static struct lab_point last_point(size_t run_devices, const char *text)
{
    struct lab_points points;
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = parse(text);
    assert_true(lab_points_init(&points, parameters, NULL, run_devices, &errors));
    struct lab_point point = points.items[points.count - 1];
    lab_points_release(&points);
    lab_parameters_free(parameters);
    return point;
}

TEST(sizes_are_totals_and_parts_are_multiples_of_16_bytes)
{
    struct lab_point point =
        last_point(3, "{\"operation\": \"all-gather\", \"in_place\": true, \"max_bytes\": 100000}");
    assert_int_equal(point.values[COLLECTIVES_DEVICES], 3);
    assert_int_equal(collectives_bytes(&point), 99984);
    assert_int_equal(collectives_count(&point), 99984 / 3 / 4);
    assert_int_equal(point.values[COLLECTIVES_IN_PLACE], 1);
    point = last_point(3, "{\"operation\": \"all-reduce\", \"max_bytes\": 100003, \"device_count\": 2}");
    assert_int_equal(point.values[COLLECTIVES_DEVICES], 2);
    assert_int_equal(collectives_bytes(&point), 100000);
    assert_int_equal(collectives_count(&point), 25000);
}

TEST(memory_counts_send_and_receive_buffers)
{
    struct plan plan = plan_on(4, "{\"max_bytes\": 1048576}");
    assert_true(plan.good);
    assert_int_equal(plan.estimate.device_bytes, 2097152);
    assert_int_equal(plan.estimate.host_bytes, 4 * COLLECTIVES_STAGING_BYTES);
    plan = plan_on(4, "{\"max_bytes\": 1048576, \"operation\": \"broadcast\"}");
    assert_int_equal(plan.estimate.host_bytes, 0); /* filled on the devices, without staging */
}

/* Each point takes min_time_s, and the communicator 2 s. */
TEST(the_duration_follows_the_points_and_the_budget)
{
    struct plan plan = plan_on(2, "{\"operation\": \"broadcast\", \"max_bytes\": 1024, \"in_place\": false}");
    assert_true(plan.estimate.seconds > 2.1 && plan.estimate.seconds < 3);
    plan = plan_on(2, "{\"max_bytes\": 268435456}");
    assert_true(plan.estimate.seconds > 8 && plan.estimate.seconds <= 2 + 17);
}

TEST(invalid_requests_are_refused_with_a_pointer)
{
    expect_refusal(2, "{\"min_bytes\": 2048, \"max_bytes\": 1024}", "min-above-max", "/parameters/min_bytes");
    expect_refusal(2, "{\"max_bytes\": 268435456, \"device_count\": 1}", "out-of-bounds", "/parameters/device_count/0");
    expect_refusal(2, "{\"max_bytes\": 268435456, \"device_count\": [2, 3]}", "out-of-bounds",
                   "/parameters/device_count/1");
    expect_refusal(2, "{\"max_bytes\": 268435456, \"device_count\": [0, 2]}", "not-distinct",
                   "/parameters/device_count/1");
    expect_refusal(2, "{\"min_bytes\": 256, \"max_bytes\": 100000000, \"factor\": 1.01}", "too-many-points",
                   "/parameters");
    struct plan plan =
        plan_on(2, "{\"max_bytes\": 1073741824}"); /* twice the memory of both devices, which have one name */
    assert_false(plan.good);
    assert_int_equal(plan.errors.count, 1);
    assert_int_equal(plan.errors.items[0].code, LAB_ERROR_EXCEEDS_MEMORY);
    assert_string_equal(plan.errors.items[0].pointer, "/parameters/max_bytes");
}

TEST(bus_bandwidth_is_counted_as_in_nccl_tests)
{
    assert_true(collectives_bus_factor(LAB_ALL_REDUCE, 2) == 1);
    assert_true(collectives_bus_factor(LAB_ALL_REDUCE, 8) == 1.75);
    assert_true(collectives_bus_factor(LAB_REDUCE_SCATTER, 8) == 0.875);
    assert_true(collectives_bus_factor(LAB_ALL_GATHER, 4) == 0.75);
    assert_true(collectives_bus_factor(LAB_ALL_TO_ALL, 2) == 0.5);
    assert_true(collectives_bus_factor(LAB_BROADCAST, 8) == 1);
}

/* --- summands ----------------------------------------------------------------------------------------------------- */

TEST(summands_add_up_to_the_pattern_in_any_order)
{
    for (size_t ranks = 2; ranks <= LAB_RUN_DEVICES_MAX; ranks++)
        for (uint64_t index = 0; index < 2000; index++) {
            float up = 0, down = 0;
            for (size_t r = 0; r < ranks; r++) {
                up += collectives_summand(index, 7, r, ranks);
                down += collectives_summand(index, 7, ranks - 1 - r, ranks);
            }
            assert_true(up == lab_pattern_float(index, 7) && up == down);
        }
}

TEST(summands_differ_by_index_and_rank)
{
    size_t same_rank = 0, same_index = 0, zero = 0;
    for (uint64_t index = 0; index < 2000; index++)
        for (size_t r = 0; r < 4; r++) {
            float share = collectives_summand(index, 7, r, 4);
            zero += share == 0;
            same_rank += share == collectives_summand(index, 7, (r + 1) % 4, 4);
            same_index += share == collectives_summand(index + 1, 7, r, 4);
        }
    assert_true(zero < 5 && same_rank < 5 && same_index < 5);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

struct report {
    size_t points, skipped, verified, wrong_points, warnings, notes, done, total;
    uint64_t wrong; /* largest number of wrong elements of a point */
    char reason[LAB_DETAIL_MAX], warning[LAB_DETAIL_MAX], note[LAB_DETAIL_MAX];
    double busbw, algbw, time; /* medians of the last point */
};

static void take_measurement(void *context, const struct lab_measurement *m)
{
    struct report *report = context;
    if (m->skipped != NULL) {
        assert_string_equal(m->metric, "busbw");
        report->skipped++;
        snprintf(report->reason, sizeof report->reason, "%s", m->skipped);
        return;
    }
    assert_true(m->verified_known && m->stop_reason != NULL && isfinite(m->summary.median));
    if (strcmp(m->metric, "busbw") == 0)
        report->busbw = m->summary.median;
    else if (strcmp(m->metric, "algbw") == 0)
        report->algbw = m->summary.median;
    else
        report->time = m->summary.median;
    if (strcmp(m->metric, "time") != 0)
        return;
    report->points++;
    report->verified += m->verified;
    report->wrong_points += !m->verified;
    report->wrong = m->wrong > report->wrong ? m->wrong : report->wrong;
}

static void take_progress(void *context, size_t done, size_t total, const char *label)
{
    struct report *report = context;
    assert_true(done <= total && strlen(label) > 0);
    report->done = done;
    report->total = total;
}

static void take_warning(void *context, const char *text)
{
    struct report *report = context;
    report->warnings++;
    snprintf(report->warning, sizeof report->warning, "%s", text);
}

static void take_note(void *context, const char *text)
{
    struct report *report = context;
    report->notes++;
    snprintf(report->note, sizeof report->note, "%s", text);
}

/* Fixture of a test: host devices whose runtime has the fake collectives. */
struct fixture {
    struct lab_runtime runtime;
    struct lab_device *devices[DEVICES];
    struct lab_error error; /* of the last run */
};

static int open_fixture(void **state)
{
    struct lab_error error;
    struct fixture *fixture = calloc(1, sizeof *fixture);
    setenv("GPULAB_HOST_SPIN", "0", 1); /* the threads of three devices wait most of the time */
    if (fixture == NULL || !lab_host_runtime.start(&(struct lab_runtime_options){.host_devices = DEVICES}, &error))
        return -1;
    fake = (struct fake){0};
    fixture->runtime = lab_host_runtime;
    fixture->runtime.collective = &fake_collective;
    for (size_t i = 0; i < DEVICES; i++) {
        fixture->devices[i] = lab_host_runtime.open(i, &error);
        if (fixture->devices[i] == NULL)
            return -1;
        fixture->devices[i]->runtime = &fixture->runtime;
        fixture->devices[i]->facts.l2_bytes = LAB_UNKNOWN;
    }
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < DEVICES; i++)
        lab_host_runtime.close(fixture->devices[i]);
    lab_host_runtime.stop();
    free(fixture);
    return fake.opened == fake.closed ? 0 : -1;
}

/* Runs a request on the first `device_count` devices; returns what run() returned. */
static bool run_on(struct fixture *fixture, size_t device_count, const char *text, struct report *report,
                   bool *any_wrong)
{
    struct lab_parameters *parameters = parse(text);
    atomic_bool cancel = false;
    *report = (struct report){0};
    struct lab_run run = {.experiment = &lab_collectives,
                          .parameters = parameters,
                          .device_count = device_count,
                          .sink = {report, take_measurement, NULL, take_progress, take_warning, take_note},
                          .numa_node = LAB_UNKNOWN,
                          .cancel = &cancel};
    for (size_t i = 0; i < device_count; i++)
        run.devices[i] = fixture->devices[i];
    bool good = lab_collectives.run(&run);
    fixture->error = run.error;
    *any_wrong = run.any_wrong;
    lab_parameters_free(parameters);
    return good;
}

#define SHORT "\"max_samples\": 3, \"settle_s\": 0, \"time_budget_s\": 600"
#define QUICKLY "\"min_bytes\": 1000, \"max_bytes\": 12000, \"factor\": 3, " SHORT

TEST_WITH(results_of_every_operation_verify, struct fixture *fixture, .setup = open_fixture, .teardown = close_fixture)
{
    struct report report;
    bool wrong;
    assert_true(run_on(fixture, DEVICES, "{\"device_count\": [2, 0], " QUICKLY "}", &report, &wrong));
    assert_false(wrong);
    /* on 2 and on 3 devices: 4 sizes of 5 operations, of which all-to-all is not possible in place */
    assert_int_equal(report.points, 2 * 4 * 9);
    assert_int_equal(report.verified, report.points);
    assert_int_equal(report.skipped, 2 * 4);
    assert_non_null(strstr(report.reason, "in place"));
    assert_int_equal(report.done, report.total);
    assert_int_equal(fake.opened, 2);
    assert_false(fake.multicast);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(report.notes, 2); /* the library, for each number of devices */
    assert_non_null(strstr(report.note, "FAKE 1.2.3 on 3 devices"));
}

#define REQUESTS 9

/* Requests: each operation out of place, and in place if possible. */
static const char *const requests[REQUESTS] = {
    "{\"operation\": \"all-reduce\", \"in_place\": false, " QUICKLY "}",
    "{\"operation\": \"all-reduce\", \"in_place\": true, " QUICKLY "}",
    "{\"operation\": \"reduce-scatter\", \"in_place\": false, " QUICKLY "}",
    "{\"operation\": \"reduce-scatter\", \"in_place\": true, " QUICKLY "}",
    "{\"operation\": \"all-gather\", \"in_place\": false, " QUICKLY "}",
    "{\"operation\": \"all-gather\", \"in_place\": true, " QUICKLY "}",
    "{\"operation\": \"broadcast\", \"in_place\": false, " QUICKLY "}",
    "{\"operation\": \"broadcast\", \"in_place\": true, " QUICKLY "}",
    "{\"operation\": \"all-to-all\", \"in_place\": false, " QUICKLY "}",
};

/* Runs every request and expects that all four sizes fail verification and that `least` to `most` elements of the
 * largest size are wrong. */
static void expect_wrong(struct fixture *fixture, uint64_t least, uint64_t most)
{
    for (size_t i = 0; i < REQUESTS; i++) {
        struct report report;
        bool wrong;
        assert_true(run_on(fixture, DEVICES, requests[i], &report, &wrong));
        if (!wrong || report.wrong_points != 4 || report.points != 4 || report.wrong < least || report.wrong > most)
            fail_msg("%s: %zu points of %zu, %llu elements wrong", requests[i], report.wrong_points, report.points,
                     (unsigned long long)report.wrong);
    }
}

TEST_WITH(a_wrong_element_is_detected_and_counted, struct fixture *fixture, .setup = open_fixture,
          .teardown = close_fixture)
{
    fake.plants = true;
    expect_wrong(fixture, 1, 1);
}

TEST_WITH(data_of_the_wrong_device_are_detected, struct fixture *fixture, .setup = open_fixture,
          .teardown = close_fixture)
{
    fake.mixes = true;
    expect_wrong(fixture, 12000 / 4 / DEVICES - 10, UINT64_MAX);
}

TEST_WITH(a_missing_operation_is_detected, struct fixture *fixture, .setup = open_fixture, .teardown = close_fixture)
{
    fake.idles = true;
    expect_wrong(fixture, 12000 / 4 - 10, UINT64_MAX);
}

TEST_WITH(bandwidths_follow_from_the_time, struct fixture *fixture, .setup = open_fixture, .teardown = close_fixture)
{
    struct report report;
    bool wrong;
    assert_true(run_on(fixture, DEVICES,
                       "{\"operation\": \"all-reduce\", \"in_place\": false, \"min_bytes\": 3000, \"max_bytes\": 3000,"
                       " \"min_samples\": 1, \"max_samples\": 1}",
                       &report, &wrong));
    assert_true(fabs(report.algbw * report.time - 3000e-9) < 1e-15);
    assert_true(fabs(report.busbw / report.algbw - 4.0 / 3) < 1e-12);
}

static bool close_no_latch(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream,
                           double timeout_s)
{
    (void)latch, (void)stream, (void)timeout_s;
    return lab_error_set(&device->error, LAB_ERROR_NCCL_ERROR, "", "a latch was closed");
}

/* As in nccl-tests, whose times include the launches. */
TEST_WITH(operations_are_timed_without_a_latch, struct fixture *fixture, .setup = open_fixture,
          .teardown = close_fixture)
{
    struct report report;
    bool wrong;
    fixture->runtime.latch_close = close_no_latch;
    if (!run_on(fixture, 2, "{\"min_bytes\": 4096, \"max_bytes\": 4096, " SHORT "}", &report, &wrong))
        fail_msg("%s", fixture->error.detail);
    assert_int_equal(report.points, 9);
}

/* What several processes tell each other is not told by one. */
TEST_WITH(one_process_calls_nothing_but_the_operation, struct fixture *fixture, .setup = open_fixture,
          .teardown = close_fixture)
{
    struct report report;
    bool wrong;
    assert_true(run_on(fixture, 2,
                       "{\"operation\": \"all-reduce\", \"in_place\": true, \"min_bytes\": 4096,"
                       " \"max_bytes\": 4096, \"min_samples\": 3, \"max_samples\": 3}",
                       &report, &wrong));
    assert_int_equal(report.verified, 1);
    assert_int_equal(fake.calls_of[LAB_ALL_REDUCE], fake.calls);
    assert_int_equal(fake.count, 1024);
    /* one to warm up and one to verify; at least 4 samples, with that of the calibration, of a leading repetition and
     * others */
    assert_true(fake.calls >= 2 + 4 * 2 && fake.opened == 1);
}

/* Repeated in place, sums grow by the number of devices; fake_enqueue fails the test when they become infinite. */
TEST_WITH(repeated_sums_in_place_stay_finite, struct fixture *fixture, .setup = open_fixture, .teardown = close_fixture)
{
    struct report report;
    bool wrong;
    assert_true(run_on(fixture, DEVICES,
                       "{\"operation\": [\"all-reduce\", \"reduce-scatter\"], \"in_place\": true,"
                       " \"min_bytes\": 1024, \"max_bytes\": 1024, \"min_samples\": 10, \"max_samples\": 10}",
                       &report, &wrong));
    assert_int_equal(report.verified, 2);
    assert_true(fake.calls > 10 * 31);
}

TEST_WITH(sizes_that_fit_the_cache_are_noted_once, struct fixture *fixture, .setup = open_fixture,
          .teardown = close_fixture)
{
    struct report report;
    bool wrong;
    const char *text =
        "{\"operation\": \"broadcast\", \"in_place\": false, \"min_bytes\": 4096, \"max_bytes\": 8192, " SHORT "}";
    fixture->devices[0]->facts.l2_bytes = 8191; /* send and receive buffer of 4096 bytes do not fit */
    assert_true(run_on(fixture, 2, text, &report, &wrong));
    assert_int_equal(report.notes, 1); /* the library */
    fixture->devices[0]->facts.l2_bytes = 16384;
    assert_true(run_on(fixture, 2, text, &report, &wrong));
    assert_int_equal(report.notes, 2);
    assert_int_equal(report.warnings, 0);
}

TEST_WITH(without_a_library_every_point_is_skipped_with_the_reason, struct fixture *fixture, .setup = open_fixture,
          .teardown = close_fixture)
{
    struct report report;
    bool wrong;
    fake.refuses = true;
    assert_true(run_on(fixture, 2, "{" QUICKLY "}", &report, &wrong));
    assert_int_equal(report.points, 0);
    assert_int_equal(report.skipped, 4 * 5 * 2);
    assert_int_equal(report.done, report.total);

    fixture->runtime.collective = NULL;
    assert_true(run_on(fixture, 2, "{\"operation\": \"all-reduce\", " QUICKLY "}", &report, &wrong));
    assert_int_equal(report.skipped, 4 * 2);
    assert_int_equal(report.points, 0);
    assert_non_null(strstr(report.reason, "no collectives"));
    assert_int_equal(fake.calls, 0);
}

TEST_WITH(a_failing_call_ends_the_run_and_leaves_nothing_open, struct fixture *fixture, .setup = open_fixture,
          .teardown = close_fixture)
{
    struct report report;
    bool wrong;
    fake.breaks = true;
    assert_false(run_on(fixture, 2, "{" QUICKLY "}", &report, &wrong));
    assert_int_equal(fixture->error.code, LAB_ERROR_NCCL_ERROR);
    assert_int_equal(fake.opened, 1);
    assert_int_equal(fake.closed, 1);
}

TEST_WITH(multicast_is_passed_on_and_reported, struct fixture *fixture, .setup = open_fixture,
          .teardown = close_fixture)
{
    struct report report;
    bool wrong;
    assert_true(run_on(fixture, 2,
                       "{\"multicast\": true, \"operation\": \"broadcast\", \"min_bytes\": 4096, \"max_bytes\": 4096,"
                       " \"max_samples\": 1}",
                       &report, &wrong));
    assert_true(fake.multicast);
    assert_non_null(strstr(report.note, "as set in the environment"));
}
