/* The Range Profiler, with a library in place of CUPTI (tests/counters). Skipped where the headers of CUPTI lack it. */
#include "counters/fake_profiler.h"
#include "cuda/counters/profiler.h"
#include "support/test.h"

#include <cuda.h>
#include <cupti_result.h>
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#define LIBRARY LAB_TEST_BUILD "/counters/fake_profiler.so"

enum { ORDINAL = 1 };

static int context_of_device;
static CUcontext context = (CUcontext)(void *)&context_of_device;

static struct fake_profiler *fake;
static struct cuda_profiler *profiler;
static struct lab_error error;
static struct lab_hardware_counts counts;

static int load(void **state)
{
    (void)state;
    void *library = dlopen(LIBRARY, RTLD_NOW);
    void *found = library != NULL ? dlsym(library, "fake_profiler_state") : NULL;
    struct fake_profiler *(*ask)(void);
    memcpy(&ask, &found, sizeof ask);
    fake = found != NULL ? ask() : NULL;
    return fake == NULL;
}

static int release(void **state)
{
    (void)state;
    lab_cuda_profiler_free(profiler);
    return 0;
}
AROUND_EACH_TEST(.setup = load, .teardown = release)

static void create(void)
{
    profiler = lab_cuda_profiler_create(context, ORDINAL, LIBRARY, &error);
}

/* Work that only counts how often it ran within a range. */
struct work {
    size_t prepared, runs, fails_at; /* at which run; 0: none */
};

static bool prepare(void *work_)
{
    struct work *work = work_;
    assert_false(fake->is_in_range);
    return ++work->prepared > 0;
}

static bool run(void *work_)
{
    struct work *work = work_;
    assert_true(fake->is_in_range && work->prepared > work->runs);
    return ++work->runs != work->fails_at || lab_error_set(&error, LAB_ERROR_CUDA_ERROR, "", "the work failed");
}

static bool count(struct work *work)
{
    return lab_cuda_profiler_count(profiler, &(struct lab_counted_work){work, prepare, run}, &counts, &error);
}

TEST(counts_work_that_runs_once_in_each_pass)
{
    struct work work = {0};
    create();
    assert_non_null(profiler);
    assert_int_equal(lab_cuda_profiler_passes(profiler), FAKE_PROFILER_PASSES);
    assert_int_equal(fake->enabled, 0);
    assert_true(count(&work));
    assert_int_equal(work.runs, FAKE_PROFILER_PASSES);
    assert_int_equal(fake->enabled, 0);

    const struct lab_hardware_count *items = counts.items;
    assert_string_equal(items[LAB_HARDWARE_DRAM_READ_BYTES].metric, "dram__bytes_read.sum");
    assert_float_equal(items[LAB_HARDWARE_DRAM_READ_BYTES].value, 10, 0);
    assert_string_equal(items[LAB_HARDWARE_L1_HIT_RATE].metric, "l1tex__t_sector_hit_rate.pct");
    assert_float_equal(items[LAB_HARDWARE_L1_HIT_RATE].value, 0.2, 1e-12); /* of percents */
    assert_float_equal(items[LAB_HARDWARE_OCCUPANCY].value, 0.3, 1e-12);
    assert_true(isnan(items[LAB_HARDWARE_DRAM_WRITTEN_BYTES].value));
    assert_string_equal(items[LAB_HARDWARE_DRAM_WRITTEN_BYTES].metric, "");
}

TEST(counts_again_and_for_several_contexts)
{
    struct work work = {0};
    create();
    struct cuda_profiler *other = lab_cuda_profiler_create(context, ORDINAL, LIBRARY, &error);
    assert_int_equal(fake->initialized, 1);
    assert_true(count(&work) && count(&work));
    assert_int_equal(work.runs, 2 * FAKE_PROFILER_PASSES);
    lab_cuda_profiler_free(other);
    assert_int_equal(fake->initialized, 1);
    assert_int_equal(fake->hosts, 1);
}

TEST(a_profiler_that_is_freed_leaves_nothing_behind)
{
    create();
    lab_cuda_profiler_free(profiler);
    profiler = NULL;
    assert_int_equal(fake->hosts, 0);
    assert_int_equal(fake->initialized, 0);
}

TEST(a_chip_has_the_names_that_it_lists)
{
    struct work work = {0};
    fake->lists_other_names = true;
    create();
    assert_true(count(&work));
    assert_string_equal(counts.items[LAB_HARDWARE_DRAM_READ_BYTES].metric, "dram__bytes_op_read.sum");
}

TEST(a_chip_without_known_counters_is_refused)
{
    fake->lists_nothing = true;
    create();
    assert_null(profiler);
    assert_int_equal(error.code, LAB_ERROR_UNSUPPORTED);
    assert_string_equal(error.detail, "CUPTI lists no counter of this chip that gpulab knows");
    assert_int_equal(fake->initialized, 0);
    assert_int_equal(fake->hosts, 0);
}

TEST(a_missing_library_is_named)
{
    profiler = lab_cuda_profiler_create(context, ORDINAL, "/nowhere/libcupti.so", &error);
    assert_null(profiler);
    assert_int_equal(error.code, LAB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.detail, "CUPTI of CUDA 12.6 or later"));
    assert_non_null(strstr(error.detail, "/nowhere/libcupti.so"));
}

/* Each function of CUPTI that prepares fails once; then nothing is left, and preparing succeeds. */
TEST(whatever_fails_while_preparing_is_undone)
{
    static const char *const functions[] = {"cuptiProfilerInitialize",
                                            "cuptiDeviceGetChipName",
                                            "cuptiProfilerGetCounterAvailability",
                                            "cuptiProfilerHostInitialize",
                                            "cuptiProfilerHostGetBaseMetrics",
                                            "cuptiProfilerHostConfigAddMetrics",
                                            "cuptiProfilerHostGetConfigImageSize",
                                            "cuptiProfilerHostGetConfigImage",
                                            "cuptiProfilerHostGetNumOfPasses"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        fake->fails = functions[i];
        fake->result = CUPTI_ERROR_UNKNOWN;
        create();
        assert_null(profiler);
        assert_int_equal(error.code, LAB_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.detail, "CUPTI: CUPTI_ERROR_UNKNOWN (999), while "));
        assert_int_equal(fake->initialized, 0);
        assert_int_equal(fake->hosts, 0);
    }
    fake->fails = NULL;
    create();
    assert_non_null(profiler);
}

TEST(whatever_fails_while_counting_ends_it)
{
    static const char *const functions[] = {"cuptiRangeProfilerEnable",
                                            "cuptiRangeProfilerGetCounterDataSize",
                                            "cuptiRangeProfilerCounterDataImageInitialize",
                                            "cuptiRangeProfilerSetConfig",
                                            "cuptiRangeProfilerStart",
                                            "cuptiRangeProfilerPushRange",
                                            "cuptiRangeProfilerPopRange",
                                            "cuptiRangeProfilerStop",
                                            "cuptiRangeProfilerDecodeData",
                                            "cuptiProfilerHostEvaluateToGpuValues"};
    create();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        struct work work = {0};
        fake->fails = functions[i];
        fake->result = CUPTI_ERROR_UNKNOWN;
        error = (struct lab_error){0};
        assert_false(count(&work));
        assert_int_equal(error.code, LAB_ERROR_UNSUPPORTED);
        assert_int_equal(fake->enabled, 0);
        fake->fails = NULL;
        assert_true(count(&work));
    }
}

TEST(work_that_fails_ends_the_counting_with_its_error)
{
    struct work work = {.fails_at = 2};
    create();
    assert_false(count(&work));
    assert_int_equal(work.runs, 2);
    assert_int_equal(error.code, LAB_ERROR_CUDA_ERROR);
    assert_string_equal(error.detail, "the work failed");
    assert_int_equal(fake->enabled, 0);
}

TEST(lost_counts_and_passes_without_end_are_errors)
{
    struct work work = {0};
    create();
    fake->drops = true;
    assert_false(count(&work));
    assert_string_equal(error.detail, "CUPTI lost what it had counted");
    fake->drops = false;
    fake->goes_on = true;
    assert_false(count(&work));
    assert_string_equal(error.detail, "CUPTI needs more passes than the 3 that it had said");
}

/* The reasons that people can remove are said with what to do. */
TEST(a_refusal_says_what_to_do)
{
    static const struct {
        int result;
        const char *function, *text;
    } refusals[] = {
        {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "cuptiProfilerGetCounterAvailability",
         "NVreg_RestrictProfilingToAdminUsers=0"},
        {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, "cuptiProfilerGetCounterAvailability", "hypervisor"},
        {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "cuptiProfilerInitialize", "MIG is off"},
        {CUPTI_ERROR_HARDWARE_BUSY, "cuptiProfilerGetCounterAvailability", "dcgmi profile --pause"},
        {CUPTI_ERROR_NOT_SUPPORTED, "cuptiProfilerHostInitialize", "offers no hardware counters"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        fake->fails = refusals[i].function;
        fake->result = refusals[i].result;
        create();
        assert_null(profiler);
        assert_int_equal(error.code, LAB_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.detail, refusals[i].text));
    }
}

TEST(another_profiler_that_begins_later_is_said_when_a_pass_starts)
{
    struct work work = {0};
    create();
    fake->fails = "cuptiRangeProfilerStart";
    fake->result = CUPTI_ERROR_HARDWARE_BUSY;
    fake->fails_at = 2;
    assert_false(count(&work));
    assert_int_equal(work.runs, 1);
    assert_non_null(strstr(error.detail, "another program reads the hardware counters"));
    assert_int_equal(fake->enabled, 0);
}
