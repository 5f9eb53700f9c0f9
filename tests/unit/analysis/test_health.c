/* server/analysis/health.c: what is found in made-up measurements of machines with H200s: sound ones, and ones with one
 * fault each. */
#include "analysis/health.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { VALUES_MAX = 2048, FOUND_MAX = 4096, DEVICES = 8 };

static const char *const devices[DEVICES] = {"GPU-0", "GPU-1", "GPU-2", "GPU-3", "GPU-4", "GPU-5", "GPU-6", "GPU-7"};

static struct lab_health_value values[VALUES_MAX];
static size_t count;

static struct found {
    enum lab_health_level level;
    enum lab_health_basis basis;
    const struct lab_health_value *value;
    char text[LAB_HEALTH_TEXT_MAX];
} found[FOUND_MAX];
static size_t found_count;

/* --- measurements ------------------------------------------------------------------------------------------------- */

static struct lab_health_value *add(size_t run, size_t device, const char *check, const char *metric, const char *unit,
                                    double value, double peak)
{
    values[count] = (struct lab_health_value){.run = run,
                                              .device = devices[device],
                                              .model = "NVIDIA H200",
                                              .check = check,
                                              .metric = metric,
                                              .unit = unit,
                                              .value = value,
                                              .peak = peak,
                                              .peak_name = isfinite(peak) ? "its peak" : NULL,
                                              .verified = strcmp(unit, "1") == 0 ? -1 : 1};
    return &values[count++];
}

/* What a sound device measures and reports. */
static void add_device(size_t run, size_t device)
{
    static const char *const counters[] = {"ecc-uncorrected", "ecc-uncorrected-lifetime", "remapped-rows",
                                           "remap-pending", "remap-failed"};
    add(run, device, "h2d", "bandwidth", "GB/s", 55.3, 63);
    add(run, device, "link-width", "reading", "1", 16, 16);
    add(run, device, "link-generation", "reading", "1", 5, 5);
    add(run, device, "d2h", "bandwidth", "GB/s", 55.1, 63);
    add(run, device, "memory", "bandwidth", "GB/s", 4100, 4900);
    add(run, device, "gemm", "throughput", "GFLOP/s", 700000, 989000);
    add(run, device, "gemm", "clock", "Hz", 1.6e9, 1.98e9)->verified = -1;
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        add(run, device, counters[i], "reading", "1", 0, NAN);
    add(run, device, "retired-pages", "reading", "1", NAN, NAN)->skipped = "the device does not report it";
}

/* A run on the first `number` devices, and the copies between them. */
static void add_run(size_t run, size_t number)
{
    for (size_t i = 0; i < number; i++)
        add_device(run, i);
    for (size_t i = 0; i < number; i++)
        for (size_t k = 0; k < number; k++)
            if (i != k)
                add(run, i, "p2p", "bandwidth", "GB/s", 380, NAN)->peer = devices[k];
}

static struct lab_health_value *value_of(size_t run, size_t device, const char *check, const char *metric)
{
    for (size_t i = 0; i < count; i++)
        if (values[i].run == run && values[i].device == devices[device] && strcmp(values[i].check, check) == 0 &&
            strcmp(values[i].metric, metric) == 0)
            return &values[i];
    fail_msg("no value of %s", check);
    return NULL;
}

/* --- findings ----------------------------------------------------------------------------------------------------- */

static void keep(void *context, const struct lab_health_finding *finding)
{
    (void)context;
    assert_true(found_count < FOUND_MAX);
    struct found *kept = &found[found_count++];
    *kept = (struct found){finding->level, finding->basis, finding->value, ""};
    memcpy(kept->text, finding->text, sizeof kept->text);
}

static size_t count_level(enum lab_health_level level)
{
    size_t number = 0;
    for (size_t i = 0; i < found_count; i++)
        number += found[i].level == level;
    return number;
}

static void judge(void)
{
    found_count = 0;
    assert_true(lab_health_judge(values, count, keep, NULL));
}

/* Judges, and expects one finding of the level and none that is as bad or worse, with these texts in its line. */
static const struct found *expect_one(enum lab_health_level level, enum lab_health_basis basis, const char *first,
                                      const char *second)
{
    const struct found *only = NULL;
    judge();
    for (size_t i = 0; i < found_count; i++)
        if (found[i].level >= LAB_HEALTH_WARNING) {
            if (only != NULL)
                fail_msg("a second finding: %s", found[i].text);
            only = &found[i];
        }
    assert_non_null(only);
    if (only->level != level || only->basis != basis || strstr(only->text, first) == NULL ||
        strstr(only->text, second) == NULL)
        fail_msg("%s, %s: %s", lab_health_level_names[only->level], lab_health_basis_names[only->basis], only->text);
    return only;
}

static int reset(void **state)
{
    (void)state;
    count = found_count = 0;
    return 0;
}

AROUND_EACH_TEST(.setup = reset)

/* --- tests -------------------------------------------------------------------------------------------------------- */

TEST(sound_devices_have_no_finding)
{
    add_run(0, DEVICES);
    for (size_t run = 1; run <= LAB_HEALTH_RUNS_MIN; run++)
        add_run(run, DEVICES);
    judge();
    assert_int_equal(count_level(LAB_HEALTH_WARNING) + count_level(LAB_HEALTH_FAILURE), 0);
    assert_int_equal(count_level(LAB_HEALTH_SKIPPED), DEVICES);
    /* of a device: 4 results, 7 shares of peaks, 5 limits, 4 with history, 4 with peers; of a pair: result, history,
     * opposite */
    assert_int_equal(count_level(LAB_HEALTH_OK), DEVICES * (4 + 7 + 5 + 4 + 4) + DEVICES * (DEVICES - 1) * 3);
}

TEST(half_of_the_lanes_is_a_failure)
{
    add_run(0, 1);
    value_of(0, 0, "link-width", "reading")->value = 8;
    const struct found *only = expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_PEAK, "GPU-0: link-width is 8, 50 % of 16",
                                          "expected at least 100 %");
    assert_ptr_equal(only->value, value_of(0, 0, "link-width", "reading"));
}

TEST(a_slow_link_is_found_without_history)
{
    add_run(0, 1);
    value_of(0, 0, "h2d", "bandwidth")->value = 27.1;
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_PEAK, "GPU-0: h2d is 27.10 GB/s, 43 % of 63.00 GB/s (its peak)", "75 %");
    value_of(0, 0, "h2d", "bandwidth")->value = 40;
    expect_one(LAB_HEALTH_WARNING, LAB_HEALTH_PEAK, "40.00 GB/s", "63 %");
}

TEST(new_memory_errors_are_failures_and_old_ones_warnings)
{
    add_run(0, 1);
    value_of(0, 0, "ecc-uncorrected", "reading")->value = 2;
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_LIMIT, "GPU-0: ecc-uncorrected is 2; expected 0", "");
    value_of(0, 0, "ecc-uncorrected", "reading")->value = 0;
    static const char *const old[] = {"ecc-uncorrected-lifetime", "remapped-rows", "remap-pending"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        value_of(0, 0, old[i], "reading")->value = 1;
        expect_one(LAB_HEALTH_WARNING, LAB_HEALTH_LIMIT, old[i], "is 1; expected 0");
        value_of(0, 0, old[i], "reading")->value = 0;
    }
    value_of(0, 0, "remap-failed", "reading")->value = 1;
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_LIMIT, "remap-failed", "expected 0");
}

TEST(one_slow_device_of_eight_is_found)
{
    add_run(0, DEVICES);
    value_of(0, 5, "memory", "bandwidth")->value = 3500; /* 71 % of the peak */
    expect_one(LAB_HEALTH_WARNING, LAB_HEALTH_PEERS, "GPU-5: memory is 3.500 TB/s, 85 % of 4.100 TB/s",
               "median of 7 other devices");
    value_of(0, 5, "memory", "bandwidth")->value = 4100;
    value_of(0, 5, "gemm", "throughput")->value = 500000;
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_PEERS, "GPU-5: gemm", "median of 7 other devices");
}

TEST(a_single_device_is_compared_with_the_latest_runs_of_others)
{
    add_run(0, 1);
    value_of(0, 0, "d2h", "bandwidth")->value = 48;
    for (size_t run = 1; run <= 2; run++) {
        add_device(run, 3);
        value_of(run, 3, "d2h", "bandwidth")->value = run == 1 ? 60 : 48; /* run 1 is the latest */
    }
    expect_one(LAB_HEALTH_WARNING, LAB_HEALTH_PEERS, "80 % of 60.00 GB/s",
               "median of 1 other device, in their latest runs");
}

TEST(the_slower_direction_of_a_pair_is_found)
{
    add_run(0, 2);
    struct lab_health_value *slow = value_of(0, 1, "p2p", "bandwidth");
    slow->value = 190;
    const struct found *only = expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_OPPOSITE,
                                          "GPU-1: p2p to GPU-0 is 190.0 GB/s, 50 %", "the copy in the other direction");
    assert_ptr_equal(only->value, slow);
    slow->value = 320;
    expect_one(LAB_HEALTH_WARNING, LAB_HEALTH_OPPOSITE, "84 %", "90 %");
}

TEST(a_clock_lowered_by_heat_is_reported_once)
{
    add_run(0, 1);
    static const char *const metrics[] = {"throughput", "clock"};
    for (size_t i = 0; i < 2; i++) {
        struct lab_health_value *value = value_of(0, 0, "gemm", metrics[i]);
        value->throttle[value->throttle_count++] = "power-cap";
        value->throttle[value->throttle_count++] = "hardware-thermal";
    }
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_LIMIT, "GPU-0: gemm had the clock lowered", "hardware-thermal");
}

TEST(a_low_clock_is_found_unless_power_limits_it)
{
    add_run(0, 1);
    struct lab_health_value *clock = value_of(0, 0, "gemm", "clock");
    clock->value = 345e6;
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_PEAK, "GPU-0: gemm clock is 345.0 MHz, 17 % of 1.980 GHz", "");
    clock->throttle[clock->throttle_count++] = "power-cap";
    judge();
    assert_int_equal(count_level(LAB_HEALTH_FAILURE), 0);
}

TEST(a_value_below_the_history_is_a_failure)
{
    add_run(0, 1);
    for (size_t run = 1; run < LAB_HEALTH_RUNS_MIN; run++)
        add_device(run, 0);
    value_of(0, 0, "memory", "bandwidth")->value = 0.8 * 4100;
    judge();
    assert_int_equal(count_level(LAB_HEALTH_FAILURE), 0); /* too few runs */
    count = 0;
    add_run(0, 1);
    for (size_t run = 1; run <= LAB_HEALTH_RUNS_MIN; run++)
        add_device(run, 0);
    value_of(0, 0, "memory", "bandwidth")->value = 0.8 * 4500;
    for (size_t run = 1; run <= LAB_HEALTH_RUNS_MIN; run++)
        value_of(run, 0, "memory", "bandwidth")->value = 4500;
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_HISTORY, "memory is 3.600 TB/s, 80 % of 4.500 TB/s",
               "median of 5 earlier runs on NVIDIA H200");
}

/* A history that varies as much makes a low value as usual. */
TEST(noise_is_no_finding)
{
    static const double usual[] = {50, 60, 45, 62, 55, 48};
    add_run(0, 1);
    value_of(0, 0, "h2d", "bandwidth")->value = 48;
    for (size_t run = 1; run <= 6; run++) {
        add_device(run, 0);
        value_of(run, 0, "h2d", "bandwidth")->value = usual[run - 1];
    }
    judge();
    assert_int_equal(count_level(LAB_HEALTH_WARNING) + count_level(LAB_HEALTH_FAILURE), 0);
}

TEST(a_wrong_result_is_a_failure_and_no_reference)
{
    add_run(0, 2);
    value_of(0, 1, "gemm", "throughput")->verified = 0;
    value_of(0, 1, "gemm", "throughput")->value = 5e6;
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_RESULT, "GPU-1: gemm gives a wrong result", "");
}

TEST(a_low_rate_is_a_warning_while_other_processes_use_the_device)
{
    add_run(0, 1);
    value_of(0, 0, "gemm", "throughput")->value = 1e5;
    struct lab_health_value *processes = add(0, 0, "processes", "reading", "1", 1, NAN);
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_PEAK, "GPU-0: gemm is 100.0 TFLOP/s, 10 %", "expected at least 40 %");
    value_of(0, 0, "gemm", "throughput")->contended = true;
    expect_one(LAB_HEALTH_WARNING, LAB_HEALTH_PEAK, "GPU-0: gemm", "but other processes use the device");
    value_of(0, 0, "gemm", "throughput")->contended = false;
    processes->value = 2;
    judge();
    assert_int_equal(count_level(LAB_HEALTH_FAILURE), 0);
    assert_int_equal(count_level(LAB_HEALTH_WARNING), 2); /* the rate, and the processes */
    assert_string_equal(found[found_count - 1].text, "GPU-0: processes is 2; expected at most 1");
    value_of(0, 0, "link-width", "reading")->value = 8;
    judge();
    assert_int_equal(count_level(LAB_HEALTH_FAILURE), 1);
}

TEST(a_copy_must_not_be_skipped)
{
    add_run(0, 1);
    value_of(0, 0, "gemm", "throughput")->skipped = "the library is not installed";
    judge();
    assert_int_equal(count_level(LAB_HEALTH_FAILURE), 0);
    value_of(0, 0, "d2h", "bandwidth")->skipped = "the time budget is used up";
    expect_one(LAB_HEALTH_FAILURE, LAB_HEALTH_RESULT, "GPU-0: d2h is skipped: the time budget is used up", "");
}

TEST(devices_of_other_models_are_no_peers)
{
    add_run(0, 2);
    for (size_t i = 0; i < count; i++)
        if (values[i].device == devices[1]) {
            values[i].model = "NVIDIA L4";
            values[i].peak = NAN;
            values[i].value /= strcmp(values[i].check, "p2p") == 0 || strcmp(values[i].unit, "1") == 0 ? 1 : 4;
        }
    judge();
    assert_int_equal(count_level(LAB_HEALTH_WARNING) + count_level(LAB_HEALTH_FAILURE), 0);
}
