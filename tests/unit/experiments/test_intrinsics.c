/* intrinsics: which kernels and errors belong to the compiler's flags. */
#include "experiments/execution/intrinsics/intrinsics.h"
#include "support/test.h"

#include "support/benchmark_harness.h"

/* Axes and choices in the order of the experiment's tables. */
enum { VARIANT, PRECISION, FLAGS };
enum { STANDARD, FAST };
enum { DEFAULT, FAST_MATH, FLUSH_TO_ZERO, APPROXIMATE_DIVISION, NO_FMA };

static struct lab_workload workload_of(int64_t function, int64_t precision, int64_t flags)
{
    struct lab_device_facts device;
    struct lab_workload workload = {0};
    lab_facts_clear(&device);
    const struct lab_point point = {{[VARIANT] = function, [PRECISION] = precision, [FLAGS] = flags}};
    lab_experiment_find("intrinsics")->benchmark->describe(NULL, &device, &point, &workload);
    return workload;
}

/* The largest error in ulp that is not wrong. */
static double ulps_of(int64_t function, int64_t precision, int64_t flags)
{
    return intrinsics_bits_double(workload_of(function, precision, flags).check.parameters[1]);
}

static double absolute_of(int64_t function, int64_t flags)
{
    return intrinsics_bits_double(workload_of(function, STANDARD, flags).check.parameters[2]);
}

TEST(flags_compile_the_same_kernel_into_another_image)
{
    assert_null(workload_of(INTRINSICS_SIN, STANDARD, DEFAULT).image);
    for (int64_t flags = FAST_MATH; flags <= NO_FMA; flags++) {
        struct lab_workload workload = workload_of(INTRINSICS_SIN, STANDARD, flags);
        assert_non_null(workload.image);
        assert_string_equal(workload.steps[0].kernel, "intrinsics_sin_standard");
        assert_ptr_not_equal(workload.image, workload_of(INTRINSICS_SIN, STANDARD, flags % NO_FMA + 1).image);
    }
}

TEST(flags_allow_the_errors_of_what_they_replace)
{
    assert_true(ulps_of(INTRINSICS_EXP, STANDARD, FAST_MATH) == ulps_of(INTRINSICS_EXP, FAST, DEFAULT));
    assert_true(ulps_of(INTRINSICS_DIVIDE, STANDARD, APPROXIMATE_DIVISION) ==
                ulps_of(INTRINSICS_DIVIDE, FAST, DEFAULT));
    assert_true(ulps_of(INTRINSICS_DIVIDE, STANDARD, NO_FMA) == ulps_of(INTRINSICS_DIVIDE, STANDARD, DEFAULT));
    assert_true(absolute_of(INTRINSICS_UNDERFLOW, DEFAULT) == 0);
    assert_true(absolute_of(INTRINSICS_UNDERFLOW, FLUSH_TO_ZERO) == 0x1p-126);
    assert_true(absolute_of(INTRINSICS_UNDERFLOW, FAST_MATH) == 0x1p-126);
}

TEST(a_flushed_result_has_lost_all_its_digits)
{
    struct intrinsics_error error = intrinsics_error_of(0, 3, 1, INTRINSICS_UNDERFLOW);
    assert_true(error.absolute > 0 && error.absolute < 0x1p-126);
    assert_true(error.ulps == ldexp(error.absolute, 149));
}

TEST(points_have_only_kernels_that_exist)
{
    static const char given[] = "{\"variant\": [\"sin\", \"underflow\"], \"flags\": [\"default\", \"no-fma\"]}";
    const struct lab_experiment *experiment = lab_experiment_find("intrinsics");
    struct lab_errors errors = {0};
    struct lab_estimate estimate;
    struct lab_device_facts facts;
    const struct lab_device_facts *devices[] = {&facts};
    json_t *request = json_loads(given, 0, NULL);
    struct lab_parameters *parameters = lab_parameters_parse(experiment, request, &errors);
    lab_facts_clear(&facts);
    assert_true(parameters != NULL && experiment->plan(parameters, devices, 1, &estimate, &errors));
    assert_int_equal(estimate.points,
                     5); /* sin: standard with both, fast with default; underflow: standard with both */
    lab_parameters_free(parameters);
    json_decref(request);
}
