/* kernels/experiments/health: the points of a plan, and a run on two host devices whose readings are made up. */
#include "support/plan_harness.h"
#include "support/test.h"

#include "facts/readings.h"
#include "host/host.h"
#include "measure/run.h"

enum { DEVICES = 2, MEASUREMENTS_MAX = 64 };

#define BRIEF "{\"min_samples\": 1, \"max_samples\": 1, \"min_time_s\": 0, \"settle_s\": 0, \"time_budget_s\": 600}"

static struct reported {
    char device[LAB_ID_MAX], check[40];
    bool between, verified, skipped;
    double value, peak;
} reported[MEASUREMENTS_MAX];
static size_t reported_count, reads;

static const char *coordinate(const struct lab_measurement *m, const char *axis)
{
    for (size_t i = 0; i < m->axes.count; i++)
        if (strcmp(m->axes.items[i].axis, axis) == 0)
            return m->axes.items[i].text;
    return "";
}

static void keep(void *context, const struct lab_measurement *m)
{
    (void)context;
    assert_true(reported_count < MEASUREMENTS_MAX);
    struct reported *kept = &reported[reported_count++];
    *kept = (struct reported){.between = coordinate(m, "peer")[0] != '\0',
                              .verified = m->verified_known && m->verified,
                              .skipped = m->skipped != NULL,
                              .value = m->summary.median,
                              .peak = m->peak != NULL ? m->peak->value : 0};
    snprintf(kept->device, sizeof kept->device, "%s", coordinate(m, "device"));
    snprintf(kept->check, sizeof kept->check, "%s", coordinate(m, "check"));
}

static void keep_text(void *context, const char *text)
{
    (void)context;
    (void)text;
}

static void keep_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    (void)label;
    assert_true(done <= total);
}

/* Reading i of the n-th time is 10 n + i; the retired pages are unknown. */
static void read_made_up(void *context, struct lab_device *device, int64_t readings[LAB_READINGS])
{
    (void)context;
    (void)device;
    reads++;
    for (size_t i = 0; i < LAB_READINGS; i++)
        readings[i] = (int64_t)(10 * reads + i);
    readings[LAB_READING_RETIRED_PAGES] = LAB_UNKNOWN;
}

static void run(void)
{
    static const struct lab_runtime_options options = {.host_devices = DEVICES};
    struct lab_error error = {0};
    atomic_bool cancel = false;
    struct lab_parameters *parameters = parse("health", BRIEF);
    struct lab_run run = {.experiment = parameters->experiment,
                          .parameters = parameters,
                          .device_count = DEVICES,
                          .sink = {NULL, keep, NULL, keep_progress, keep_text, keep_text},
                          .monitor = {.readings = read_made_up},
                          .numa_node = LAB_UNKNOWN,
                          .cancel = &cancel};
    reported_count = reads = 0;
    assert_true(lab_host_runtime.start(&options, &error));
    for (size_t i = 0; i < DEVICES; i++) {
        assert_non_null(run.devices[i] = lab_host_runtime.open(i, &error));
        run.devices[i]->facts.pcie_max_width = 16;
    }
    if (!run.experiment->run(&run))
        fail_msg("%s", run.error.detail);
    for (size_t i = 0; i < DEVICES; i++)
        lab_host_runtime.close(run.devices[i]);
    lab_host_runtime.stop();
    lab_parameters_free(parameters);
}

/* The `index`-th measurement of a check. */
static const struct reported *find(const char *check, size_t index)
{
    for (size_t i = 0; i < reported_count; i++)
        if (strcmp(reported[i].check, check) == 0 && index-- == 0)
            return &reported[i];
    fail_msg("no measurement of %s", check);
    return NULL;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

TEST(every_ordered_pair_is_a_point)
{
    expect_points_on("health", "{}", 1, 4);
    expect_points_on("health", "{}", 2, 2 * 4 + 2);
    expect_points_on("health", "{}", 8, 8 * 4 + 8 * 7);
    expect_points_on("health", "{}", 16, 16 * 4 + 16 * 15);
}

TEST(every_check_of_every_device_is_verified)
{
    static const char *const checks[] = {"h2d", "d2h", "memory", "gemm", "p2p"};
    run();
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        for (size_t device = 0; device < DEVICES; device++) {
            const struct reported *one = find(checks[i], device);
            assert_true(one->verified && !one->skipped && one->value > 0);
            assert_int_equal(one->between, i == 4);
        }
    assert_string_not_equal(find("p2p", 0)->device, find("p2p", 1)->device);
}

/* The link is read once for each device, during its checks; then, after all checks, the errors of each device. */
TEST(readings_are_reported_with_the_largest_value)
{
    run();
    assert_int_equal(reads, 2 * DEVICES);
    for (size_t device = 0; device < DEVICES; device++) {
        double link = 10 * (double)(1 + device), errors = 10 * (double)(1 + DEVICES + device);
        assert_true(find("link-width", device)->value == link + LAB_READING_LINK_WIDTH);
        assert_true(find("link-width", device)->peak == 16);
        assert_true(find("link-generation", device)->value == link + LAB_READING_LINK_GENERATION);
        assert_true(find("link-generation", device)->peak == 0); /* not known of this device */
        assert_true(find("ecc-uncorrected", device)->value == errors + LAB_READING_ECC_UNCORRECTED);
        assert_true(find("processes", device)->value == errors + LAB_READING_PROCESSES);
        assert_true(find("retired-pages", device)->skipped);
    }
    assert_ptr_equal(find("processes", DEVICES - 1), &reported[reported_count - 1]);
}
