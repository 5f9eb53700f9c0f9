/* kernels/experiments/kernel: which descriptions of own kernels are accepted, and how they are run and verified, with C
 * functions as kernels. */
#include "experiments/kernel/definition.h"

#include "benchmark/check.h"
#include "benchmark_harness.h"

#define FEW "\"min_samples\": 3, \"max_samples\": 3, \"settle_s\": 0, \"time_budget_s\": 60"

/* --- kernels: y = a x + y ------------------------------------------------------------------------------------------- */

static struct lab_launch launched;

static void axpy(const struct lab_host_part *part, const struct lab_argument *arguments, double added)
{
    const float *x = arguments[0].pointer;
    float *y = arguments[1].pointer;
    uint64_t begin, end;
    if (part->index == 0)
        launched = *part->launch;
    lab_host_part_range(part, (uint64_t)arguments[3].i32, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        y[i] = arguments[2].f32 * x[i] + y[i] + (float)(i == 5 ? added : 0);
}

static void right(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    axpy(part, arguments, 0);
}

static void nearly_right(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    axpy(part, arguments, 1e-6);
}

static void wrong(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    axpy(part, arguments, 0.5);
}

static const struct lab_host_kernel kernels[] = {
    {"right", right}, {"nearly_right", nearly_right}, {"wrong", wrong}, {NULL, NULL}};
static const struct lab_own_kernels own = {.step = "", .image = {.name = "the source", .host = kernels}};

#define ARGUMENTS                                                                                                      \
    "\"arguments\": [{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": \"n\"},"                   \
    "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": \"n\", \"direction\": \"inout\","          \
    " \"content\": \"ramp\"},"                                                                                         \
    "{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"fp32\", \"value\": 2.5},"                                     \
    "{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": [100, 1000]}]"
#define LAUNCH "\"grid\": \"ceil_div(n, 64)\", \"block\": 64"
#define KERNEL(entry, rest) "{\"entry\": \"" entry "\"," LAUNCH "," ARGUMENTS rest "}"
#define REFERENCE ", \"reference\": {\"entry\": \"right\"," LAUNCH "}"

static const struct lab_experiment *define(const char *text, struct lab_errors *errors)
{
    json_error_t problem;
    json_t *kernel = json_loads(text, 0, &problem);
    if (kernel == NULL)
        fail_msg("%s: %s", text, problem.text);
    const struct lab_experiment *experiment = kernel_define(kernel, errors);
    json_decref(kernel);
    return experiment;
}

static void run_kernel(void **state, const char *text, const char *parameters, struct results *results)
{
    struct lab_errors errors = {0};
    const struct lab_experiment *experiment = define(text, &errors);
    if (experiment == NULL)
        fail_msg("%s %s", errors.items[0].pointer, errors.items[0].detail);
    run_with_kernels(experiment, *state, parameters, &own, results);
    if (!results->good)
        fail_msg("%s", results->error.detail);
    kernel_undefine(experiment);
}

/* --- tests ---------------------------------------------------------------------------------------------------------- */

static void scalars_with_values_are_axes(void **state)
{
    struct results results;
    run_kernel(state, KERNEL("right", ", \"bytes\": \"12 * n\", \"operations\": \"2 * n\""), "{" FEW "}", &results);
    const struct reported *time = find_reported(&results, "time", "{\"n\":100}");
    const struct reported *bandwidth = find_reported(&results, "bandwidth", "{\"n\":100}");
    assert_non_null(find_reported(&results, "time", "{\"n\":1000}"));
    assert_true(fabs(bandwidth->summary.median * time->summary.median / (1200 * 1e-9) - 1) < 1e-9);
    assert_non_null(find_reported(&results, "throughput", "{\"n\":1000}"));
    assert_false(time->verified_known);
    assert_int_equal(launched.grid[0], 16);
    assert_int_equal(launched.block[0], 64);
    run_kernel(state, KERNEL("right", ""), "{\"n\": 7," FEW "}", &results);
    assert_non_null(find_reported(&results, "time", "{\"n\":7}"));
    assert_null(find_reported(&results, "bandwidth", ""));
    assert_int_equal(launched.grid[0], 1);
}

static void results_are_compared_with_the_reference(void **state)
{
    struct results results;
    run_kernel(state, KERNEL("nearly_right", REFERENCE), "{\"n\": 100," FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
    assert_non_null(find_reported(&results, "speedup", ""));
    run_kernel(state, KERNEL("wrong", REFERENCE), "{\"n\": 100," FEW "}", &results);
    assert_true(results.any_wrong);
    assert_int_equal(find_reported(&results, "time", "")->wrong, 1);
    static const char words[] = "n 100: element 5 of y is the first that differs from the reference: ";
    assert_memory_equal(results.warning, words, strlen(words));
    char *rest;
    double found = strtod(results.warning + strlen(words), &rest), must_be = 2.5 * lab_pattern_float(5, 1) + 5;
    assert_true(fabs(found - must_be - 0.5) < 1e-5);
    assert_true(fabs(strtod(rest + strlen(" instead of "), NULL) - must_be) < 1e-5);
}

static void a_tolerance_can_be_given(void **state)
{
    struct results results;
    run_kernel(state, KERNEL("nearly_right", ", \"reference\": {\"entry\": \"right\"," LAUNCH ", \"tolerance\": 0}"),
               "{\"n\": 100," FEW "}", &results);
    assert_true(results.any_wrong);
}

static void descriptions_are_refused_with_pointers(void **state)
{
    static const struct {
        const char *kernel, *error;
    } examples[] = {
        {"{}", "missing /kernel/arguments"},
        {"{" LAUNCH ", \"arguments\": [5]}", "wrong-type /kernel/arguments/0"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a b\"}]}", "out-of-bounds /kernel/arguments/0/name"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"seed\"}]}", "out-of-bounds /kernel/arguments/0/name"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"texture\"}]}",
         "out-of-bounds /kernel/arguments/0/kind"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"float\"}]}",
         "out-of-bounds /kernel/arguments/0/type"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"i8\"}]}",
         "missing /kernel/arguments/0/value"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"i8\", \"value\": [1.5]}]}",
         "wrong-type /kernel/arguments/0/value"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"buffer\", \"type\": \"i8\"}]}",
         "missing /kernel/arguments/0/count"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"buffer\", \"type\": \"i8\", \"count\": \"m\"}]}",
         "bad-expression /kernel/arguments/0/count"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"buffer\", \"type\": \"i8\", \"count\": 1,"
         " \"colour\": 1}]}",
         "unknown-field /kernel/arguments/0/colour"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"buffer\", \"type\": \"i8\", \"count\": 1,"
         " \"content\": \"value\"}]}",
         "out-of-bounds /kernel/arguments/0/value"},
        {"{\"block\": 1, \"arguments\": []}", "missing /kernel/grid"},
        {"{\"grid\": [1, 1, 1, 1], \"block\": 1, \"arguments\": []}", "out-of-bounds /kernel/grid"},
        {"{\"grid\": [1, \"k\"], \"block\": 1, \"arguments\": []}", "bad-expression /kernel/grid/1"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [], \"bytes\": \"1 +\"}", "bad-expression /kernel/bytes"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [], \"reference\": {\"grid\": 1, \"block\": 1}}",
         "out-of-bounds /kernel/reference"},
        {KERNEL("a", ", \"reference\": {\"grid\": 1}"), "missing /kernel/reference/block"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_errors errors = {0};
        char found[256];
        assert_null(define(examples[i].kernel, &errors));
        snprintf(found, sizeof found, "%s %s", errors.items[0].code, errors.items[0].pointer);
        assert_string_equal(found, examples[i].error);
    }
}

/* Plans a kernel on a device with the limits of an H200, and returns the error's pointer and detail, or "". */
static const char *plan_error(const char *text)
{
    static char found[512];
    struct lab_errors errors = {0};
    struct lab_device_facts device;
    struct lab_estimate estimate;
    const struct lab_experiment *experiment = define(text, &errors);
    assert_non_null(experiment);
    lab_facts_clear(&device);
    device.max_threads_per_block = 1024;
    device.total_memory_bytes = 1 << 20;
    device.shared_per_block_optin_bytes = 232448;
    memcpy(device.max_block_dim, (int64_t[3]){1024, 1024, 64}, sizeof device.max_block_dim);
    memcpy(device.max_grid_dim, (int64_t[3]){2147483647, 65535, 65535}, sizeof device.max_grid_dim);
    struct lab_parameters *parameters = lab_parameters_parse(experiment, NULL, &errors);
    bool good = experiment->plan(parameters, (const struct lab_device_facts *[]){&device}, 1, &estimate, &errors);
    snprintf(found, sizeof found, "%s %s", errors.items[0].pointer, errors.items[0].detail);
    lab_parameters_free(parameters);
    kernel_undefine(experiment);
    return good ? "" : found;
}

static void limits_of_the_device_are_checked_at_every_point(void **state)
{
    (void)state;
#define SCALAR(type, value)                                                                                            \
    "\"arguments\": [{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"" type "\", \"value\": " value "}]"
    static const struct {
        const char *kernel, *error;
    } examples[] = {
        {"{\"grid\": \"n\", \"block\": 1024, \"shared\": 232448," SCALAR("i32", "[1, 2]") "}", ""},
        {"{\"grid\": \"n / 64\", \"block\": 64," SCALAR("i32", "[128, 100]") "}", "/kernel/grid Is 1.5625 for n 100"},
        {"{\"grid\": [1, \"n\"], \"block\": 64," SCALAR("i32", "65536") "}", "/kernel/grid/1 Is 65536"},
        {"{\"grid\": 1, \"block\": [\"n\", 32]," SCALAR("i32", "64") "}", "/kernel/block/0 A block has 2048 threads"},
        {"{\"grid\": 1, \"block\": 1, \"shared\": \"n\"," SCALAR("i32", "232449") "}", "/kernel/shared Is 232449"},
        {"{\"grid\": 1, \"block\": 1," SCALAR("u8", "256") "}", "/kernel/arguments/0/value Is 256"},
        {"{\"grid\": 1, \"block\": 1," SCALAR("i16", "\"2 - 1.5\"") "}", "/kernel/arguments/0/value Is 0.5"},
        {"{\"grid\": 1, \"block\": 1, \"bytes\": \"-n\"," SCALAR("i16", "3") "}", "/kernel/bytes Is -3"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"fp64\","
         " \"count\": 131073}]}",
         "/kernel/arguments/0/count Is 131073"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const char *error = plan_error(examples[i].kernel);
        if (strncmp(error, examples[i].error, strlen(examples[i].error)) != 0 ||
            (*error == '\0') != (*examples[i].error == '\0'))
            fail_msg("%s: %s", examples[i].kernel, error);
    }
}

static void elements_are_converted(void **state)
{
    static const struct {
        enum kernel_type type;
        double value;
        uint64_t bits;
    } examples[] = {
        {KERNEL_FP16, 1, 0x3c00},        {KERNEL_FP16, -2.5, 0xc100},    {KERNEL_FP16, 65504, 0x7bff},
        {KERNEL_FP16, 0x1p-24, 1},       {KERNEL_FP16, 0x1p-14, 0x0400}, {KERNEL_BF16, 1, 0x3f80},
        {KERNEL_BF16, -0.5, 0xbf00},     {KERNEL_FP32, 0.5, 0x3f000000}, {KERNEL_FP64, 1, 0x3ff0000000000000},
        {KERNEL_FP16, INFINITY, 0x7c00}, {KERNEL_BF16, 256, 0x4380}};
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        assert_true(kernel_bits_of(examples[i].type, examples[i].value) == examples[i].bits);
        assert_true(kernel_value_of(examples[i].type, examples[i].bits) == examples[i].value);
    }
    assert_true(kernel_half_bits(1 + 0x1p-11f) == 0x3c00); /* a tie, to the even one */
    assert_true(kernel_half_bits(1 + 3 * 0x1p-11f) == 0x3c02);
    assert_true(kernel_half_bits(65520) == 0x7c00);
    assert_true(kernel_bits_of(KERNEL_I32, -1) == UINT64_MAX);
    assert_true(kernel_ramp(KERNEL_FP16, 2049) == kernel_bits_of(KERNEL_FP16, 1));
    assert_true(kernel_equal(KERNEL_FP32, 0x7fc00000, 0x7fc00001, 0));
    assert_false(kernel_equal(KERNEL_I32, 1, 2, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scalars_with_values_are_axes, open_one, close_one),
        cmocka_unit_test_setup_teardown(results_are_compared_with_the_reference, open_one, close_one),
        cmocka_unit_test_setup_teardown(a_tolerance_can_be_given, open_one, close_one),
        cmocka_unit_test(descriptions_are_refused_with_pointers),
        cmocka_unit_test(limits_of_the_device_are_checked_at_every_point),
        cmocka_unit_test(elements_are_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
