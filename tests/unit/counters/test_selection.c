/* Counters that fit into one pass, with a library in place of CUPTI that needs a pass for each (tests/counters).
 * Skipped where the headers of CUPTI lack the Range Profiler. */
#include "counters/fake_profiler.h"
#include "cuda/counters/selection.h"
#include "support/test.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY LAB_TEST_BUILD "/counters/fake_profiler.so"

static int context_of_device;
static struct fake_profiler *fake;
static struct cuda_chip chip;
static struct cuda_selection selection;
static struct lab_error error;

static int open_chip(void **state)
{
    (void)state;
    void *library = dlopen(LIBRARY, RTLD_NOW);
    void *found = library != NULL ? dlsym(library, "fake_profiler_state") : NULL;
    struct fake_profiler *(*ask)(void);
    memcpy(&ask, &found, sizeof ask);
    fake = found != NULL ? ask() : NULL;
    return fake == NULL || !lab_cuda_chip_open(&chip, (CUcontext)(void *)&context_of_device, 1, LIBRARY, &error);
}

static int close_chip(void **state)
{
    (void)state;
    lab_cuda_selection_release(&selection, &chip);
    lab_cuda_chip_close(&chip);
    assert_int_equal(fake->hosts, 0);
    assert_int_equal(fake->initialized, 0);
    return 0;
}
AROUND_EACH_TEST(.setup = open_chip, .teardown = close_chip)

TEST(a_pass_has_the_first_counters_that_fit_and_that_the_chip_has)
{
    const struct cuda_wanted wanted = {
        3, {LAB_HARDWARE_FP64_UTILIZATION, LAB_HARDWARE_OCCUPANCY, LAB_HARDWARE_DRAM_READ_BYTES}};
    assert_true(lab_cuda_selection_make_pass(&selection, &chip, &wanted, &error));
    assert_int_equal(selection.count, 1);
    assert_int_equal(selection.passes, 1);
    assert_int_equal(selection.counters[0], LAB_HARDWARE_OCCUPANCY);
    assert_string_equal(selection.metrics[0], "sm__warps_active.avg.pct_of_peak_sustained_active");
}

TEST(nothing_is_selected_where_the_chip_has_no_counter)
{
    const struct cuda_wanted wanted = {1, {LAB_HARDWARE_FP64_UTILIZATION}};
    assert_true(lab_cuda_selection_make_pass(&selection, &chip, &wanted, &error));
    assert_int_equal(selection.count, 0);
}

TEST(what_fails_while_counters_are_tried_is_undone)
{
    const struct cuda_wanted wanted = {2, {LAB_HARDWARE_OCCUPANCY, LAB_HARDWARE_DRAM_READ_BYTES}};
    fake->fails = "cuptiProfilerHostGetConfigImage";
    fake->result = CUPTI_ERROR_UNKNOWN;
    assert_false(lab_cuda_selection_make_pass(&selection, &chip, &wanted, &error));
    assert_int_equal(error.code, LAB_ERROR_UNSUPPORTED);
    assert_int_equal(fake->hosts, 0);
}
