/* kernels/experiments/kernel: which descriptions of own kernels are accepted, and how they are run and verified, with C
 * functions as kernels. */
#include "experiments/kernel/definition.h"
#include "experiments/kernel/wrong.h"
#include "experiments/program/execute.h"
#include "support/test.h"

#include "benchmark/check.h"
#include "core/base64.h"
#include "support/benchmark_harness.h"

#define FEW "\"min_samples\": 3, \"max_samples\": 3, \"settle_s\": 0, \"time_budget_s\": 600"

/* --- kernels: y = a x + y ----------------------------------------------------------------------------------------- */

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

/* What is made of "expected" on a GPU: y = a x + y, of as many elements as the argument after those of the kernel
 * says. */
static void expected(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    struct lab_argument own[4] = {
        arguments[0], arguments[1], arguments[2], {.bytes = 4, .i32 = (int32_t)arguments[4].u64}};
    axpy(part, own, 0);
}

/* Adds 1 to all elements of the buffers in a table, of 8 each; to one of them 2. */
static void add_to_table(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    int32_t **rows = arguments[0].pointer;
    for (int32_t b = 0; part->index == 0 && b < arguments[1].i32; b++)
        for (int32_t i = 0; i < 8; i++)
            rows[b][i] += b == 2 && i == 5 && arguments[2].i32 != 0 ? 2 : 1;
}

/* What is made of "t[i / 8][i % 8] + 1": the elements of all buffers as one. */
static void expected_of_table(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    int32_t *elements = arguments[0].pointer;
    assert_int_equal(arguments[3].u64, 8 * (uint64_t)arguments[1].i32);
    assert_int_equal(arguments[4].u64, 8);
    for (uint64_t i = 0; part->index == 0 && i < arguments[3].u64; i++)
        elements[i]++;
}

/* Adds a scalar to the 16-bit floats of a table of 3 buffers with 4 elements. */
static void table_of_halves(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    uint16_t **t = arguments[0].pointer;
    for (int b = 0; part->index == 0 && b < 3; b++)
        for (int i = 0; i < 4; i++)
            t[b][i] = (uint16_t)kernel_bits_of(KERNEL_FP16, kernel_value_of(KERNEL_FP16, t[b][i]) + arguments[1].f64);
}

struct of_kernel {
    float alpha;
    double beta;
    uint16_t half;
    int8_t n;
};

/* y[i] of a structure and of a float2, whose 8 bytes are the argument itself. */
static void of_structures(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const struct of_kernel *p = arguments[1].pointer;
    float *y = arguments[0].pointer, v[2];
    memcpy(v, &arguments[2].u64, sizeof v);
    for (int i = 0; part->index == 0 && i < 4; i++)
        y[i] = (float)(p->alpha + p->beta + kernel_value_of(KERNEL_FP16, p->half) + p->n + v[1] * (float)i);
}

static const struct lab_host_kernel kernels[] = {{"expected", expected},
                                                 {"of_structures", of_structures},
                                                 {"table_of_halves", table_of_halves},
                                                 {"expected_of_table", expected_of_table},
                                                 {"add_to_table", add_to_table},
                                                 {"right", right},
                                                 {"nearly_right", nearly_right},
                                                 {"wrong", wrong},
                                                 {NULL, NULL}};

/* The kernel of this name as the only one that was compiled, with the reference `right`. */
static struct lab_own_variant variant_of(const char *entry)
{
    static const struct lab_image image = {.name = "the source", .host = kernels};
    return (struct lab_own_variant){.own = {image, entry}, .reference = {image, "right"}};
}

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

static void run_kernel(struct lab_device *device, const char *text, const char *parameters, struct results *results)
{
    struct lab_errors errors = {0};
    json_t *kernel = json_loads(text, 0, NULL);
    struct lab_own_variant variant = variant_of(json_string_value(json_object_get(kernel, "entry")));
    if (strstr(text, "\"expected\"") != NULL)
        variant.reference.name = strstr(text, "\"table\"") != NULL ? "expected_of_table" : "expected";
    if (strstr(text, "\"expected_data\"") != NULL)
        variant.reference = (struct lab_own_entry){0};
    const struct lab_experiment *experiment = define(text, &errors);
    if (experiment == NULL)
        fail_msg("%s %s", errors.items[0].pointer, errors.items[0].detail);
    const struct lab_own_kernels own = {.step = "", .variant_count = 1, .variants = &variant};
    run_with_kernels(experiment, device, parameters, &own, results);
    if (!results->good)
        fail_msg("%s", results->error.detail);
    kernel_undefine(experiment);
    json_decref(kernel);
}

/* The same of a kernel whose argument y has these members more, with n 100. */
static void run_expecting(struct lab_device *device, const char *entry, const char *members, struct results *results)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"entry\": \"%s\", " LAUNCH
             ", \"arguments\": ["
             "{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": \"n\"},"
             "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": \"n\", \"content\": \"ramp\", %s},"
             "{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"fp32\", \"value\": 2.5},"
             "{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": 100}]}",
             entry, members);
    run_kernel(device, text, "{" FEW "}", results);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

DEVICE_TEST(scalars_with_values_are_axes)
{
    struct results results;
    run_kernel(device, KERNEL("right", ", \"bytes\": \"12 * n\", \"operations\": \"2 * n\""), "{" FEW "}", &results);
    const struct reported *time = find_reported(&results, "time", "{\"n\":100}");
    const struct reported *bandwidth = find_reported(&results, "bandwidth", "{\"n\":100}");
    assert_non_null(find_reported(&results, "time", "{\"n\":1000}"));
    assert_true(fabs(bandwidth->summary.median * time->summary.median / (1200 * 1e-9) - 1) < 1e-9);
    assert_non_null(find_reported(&results, "throughput", "{\"n\":1000}"));
    assert_float_equal(find_reported(&results, "intensity", "{\"n\":1000}")->summary.median, 2.0 / 12, 1e-12);
    assert_false(time->verified_known);
    assert_int_equal(launched.grid[0], 16);
    assert_int_equal(launched.block[0], 64);
    run_kernel(device, KERNEL("right", ""), "{\"n\": 7," FEW "}", &results);
    assert_non_null(find_reported(&results, "time", "{\"n\":7}"));
    assert_null(find_reported(&results, "bandwidth", ""));
    assert_int_equal(launched.grid[0], 1);
}

TEST(hardware_counters_are_a_parameter_beside_the_axes)
{
    struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts};
    struct lab_errors errors = {0};
    struct lab_estimate without, with;
    const struct lab_experiment *experiment = define(KERNEL("", ""), &errors);
    lab_facts_clear(&facts);
    snprintf(facts.backend, sizeof facts.backend, "cuda");
    facts.total_memory_bytes = 1 << 20;
    for (size_t i = 0; i < 2; i++) {
        json_t *given = json_pack("{s:i, s:b}", "n", 100, "counters", (int)i);
        struct lab_parameters *parameters = lab_parameters_parse(experiment, given, &errors);
        assert_int_equal(lab_parameter_counters(parameters), i == 1);
        assert_true(experiment->plan(parameters, devices, 1, i == 1 ? &with : &without, &errors));
        lab_parameters_free(parameters);
        json_decref(given);
    }
    assert_true(with.seconds > without.seconds + 0.5);
    kernel_undefine(experiment);
}

#define MACROS(list) ", \"options\": {\"defines\": [" list "]}"

DEVICE_TEST(macros_with_values_are_axes)
{
    struct results results;
    struct lab_errors errors = {0};
    const struct lab_experiment *experiment =
        define(KERNEL("", MACROS("\"TILE=8,16\", \"T=int,float\", \"FAST\", \"MODE=a\"") REFERENCE), &errors);
    struct lab_own_variant variants[] = {variant_of("right"), variant_of("wrong"), variant_of("right"), variant_of("")};
    variants[0].macros = json_pack("{s:i, s:s}", "TILE", 8, "T", "int");
    variants[1].macros = json_pack("{s:i, s:s}", "TILE", 8, "T", "float");
    variants[2].macros = json_pack("{s:i, s:s}", "TILE", 16, "T", "float");
    variants[3].macros = json_pack("{s:i, s:s}", "TILE", 16, "T", "int");
    variants[3].refusal = "it is too large";
    const struct lab_own_kernels own = {.step = "", .variant_count = 4, .variants = variants};
    assert_non_null(experiment);
    run_with_kernels(experiment, device, "{\"n\": 100," FEW "}", &own, &results);
    assert_true(find_reported(&results, "time", "{\"T\":\"int\",\"TILE\":8,\"n\":100}")->verified);
    assert_false(find_reported(&results, "time", "{\"T\":\"float\",\"TILE\":8,\"n\":100}")->verified);
    assert_true(find_reported(&results, "time", "{\"T\":\"float\",\"TILE\":16,\"n\":100}")->verified);
    assert_string_equal(find_reported(&results, "time", "{\"T\":\"int\",\"TILE\":16,\"n\":100}")->skipped,
                        "it is too large");
    for (size_t i = 0; i < 4; i++)
        json_decref((json_t *)(uintptr_t)variants[i].macros);
    kernel_undefine(experiment);
}

TEST(macros_are_refused_with_pointers)
{
    static const struct {
        const char *kernel, *error;
    } examples[] = {
        {KERNEL("", MACROS("\"A=1\", \"n=4\"")), "duplicate /kernel/options/defines/1"},
        {KERNEL("", MACROS("\"A=1\", \"A=2\"")), "duplicate /kernel/options/defines/1"},
        {KERNEL("", MACROS("\"A=1,1\"")), "duplicate /kernel/options/defines/0"},
        {KERNEL("", MACROS("\"A=x,\"")), "duplicate /kernel/options/defines/0"},
        {KERNEL("", MACROS("\"seed=1,2\"")), "out-of-bounds /kernel/options/defines/0"},
        {KERNEL("", MACROS("\"A=1;2\"")), "out-of-bounds /kernel/options/defines/0"},
        {KERNEL("", MACROS("\"counters=1,2\"")), "out-of-bounds /kernel/options/defines/0"},
        {KERNEL("", ", \"options\": {\"std\": \"c11\"}"), "out-of-bounds /kernel/options/std"},
        {KERNEL("", ", \"options\": {\"max_registers\": 4}"), "out-of-bounds /kernel/options/max_registers"},
        {KERNEL("", ", \"files\": {\"../a.h\": \"\"}"), "out-of-bounds /kernel/files/..~1a.h"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_errors errors = {0};
        char found[256];
        assert_null(define(examples[i].kernel, &errors));
        snprintf(found, sizeof found, "%s %s", lab_error_name(errors.items[0].code), errors.items[0].pointer);
        assert_string_equal(found, examples[i].error);
    }
}

#define AFTER_N(arguments)                                                                                             \
    "{" LAUNCH                                                                                                         \
    ", \"arguments\": [{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": 100}," arguments "]}"
#define FIELD(name, type, value) "{\"name\": \"" name "\", \"type\": \"" type "\", \"value\": " value "}"

TEST(structures_have_the_layout_of_c)
{
    struct lab_errors errors = {0};
    struct lab_workload workload;
    const struct lab_device_facts device = {0};
    const struct lab_point point = {{100}};
    const struct lab_experiment *experiment = define(
        AFTER_N("{\"name\": \"s\", \"kind\": \"struct\", \"align\": 16, \"fields\": [" FIELD("a", "u8", "3") "," FIELD(
            "b", "fp64",
            "\"n / 8\"") "," FIELD("c", "i16",
                                   "-2") "]},"
                                         "{\"name\": \"big\", \"kind\": \"scalar\", \"type\": \"u64\", \"value\": \"18446744073709551615\"}"),
        &errors);
    if (experiment == NULL)
        fail_msg("%s %s", errors.items[0].pointer, errors.items[0].detail);
    const struct kernel_definition *definition = kernel_definition_of(experiment);
    struct {
        uint8_t a;
        double b;
        int16_t c;
    } found;
    unsigned char bytes[KERNEL_STRUCT_MAX];
    assert_true(kernel_describe(definition, &device, &point, KERNEL_OWN, &workload, &errors));
    assert_int_equal(definition->arguments[1].bytes, 32);
    assert_int_equal(workload.steps[0].arguments[1].value.bytes, 32);
    assert_true(workload.steps[0].arguments[2].value.u64 == UINT64_MAX);
    kernel_write_struct(&definition->arguments[1], &point, bytes);
    memcpy(&found, bytes, sizeof found);
    assert_int_equal(found.a, 3);
    assert_true(found.b == 12.5);
    assert_int_equal(found.c, -2);
    kernel_undefine(experiment);
}

TEST(structures_and_variables_are_refused_with_pointers)
{
    static const struct {
        const char *kernel, *error;
    } examples[] = {
        {AFTER_N("{\"name\": \"s\", \"kind\": \"struct\"}"), "missing /kernel/arguments/1/fields"},
        {AFTER_N("{\"name\": \"s\", \"kind\": \"struct\", \"align\": 3, \"fields\": [" FIELD("a", "u8", "3") "]}"),
         "out-of-bounds /kernel/arguments/1/align"},
        {AFTER_N("{\"name\": \"s\", \"kind\": \"struct\", \"fields\": [" FIELD("a", "u8", "\"m\"") "]}"),
         "bad-expression /kernel/arguments/1/fields/0/value"},
        {AFTER_N("{\"name\": \"s\", \"kind\": \"scalar\", \"value\": 1}"), "missing /kernel/arguments/1/type"},
        {AFTER_N("{\"name\": \"t\", \"kind\": \"variable\", \"type\": \"fp32\", \"values\": [1, \"a\"]}"),
         "wrong-type /kernel/arguments/1/values/1"},
        {AFTER_N("{\"name\": \"t\", \"kind\": \"variable\", \"type\": \"fp32\", \"count\": 2, \"values\": [1, 1]}"),
         "unknown-field /kernel/arguments/1/count"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_errors errors = {0};
        char found[256];
        assert_null(define(examples[i].kernel, &errors));
        snprintf(found, sizeof found, "%s %s", lab_error_name(errors.items[0].code), errors.items[0].pointer);
        assert_string_equal(found, examples[i].error);
    }
}

TEST(clusters_and_cooperative_launches_are_checked_for_the_device)
{
    static const struct {
        const char *rest, *error;
    } examples[] = {
        {", \"cluster\": 2", NULL},
        {", \"cluster\": [1, 1, 1], \"cooperative\": true", NULL},
        {", \"cluster\": 3", "/kernel/cluster The grid has 2 blocks in x, which clusters of 3 do not divide."},
        {", \"cluster\": \"n\"", "/kernel/cluster The grid has 2 blocks in x, which clusters of 100 do not divide."},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char text[1024], found[LAB_POINTER_MAX + LAB_DETAIL_MAX];
        struct lab_errors errors = {0};
        struct lab_workload workload;
        struct lab_device_facts device = {.name = "a device", .cluster_launch = 1, .cooperative_launch = 1};
        const struct lab_point point = {{100}};
        snprintf(text, sizeof text, KERNEL("", "%s"), examples[i].rest);
        const struct lab_experiment *experiment = define(text, &errors);
        bool good = kernel_describe(kernel_definition_of(experiment), &device, &point, KERNEL_OWN, &workload, &errors);
        assert_int_equal(good, examples[i].error == NULL);
        snprintf(found, sizeof found, "%s %s", errors.items[0].pointer, errors.items[0].detail);
        if (!good)
            assert_string_equal(found, examples[i].error);
        else
            assert_int_equal(workload.steps[0].launch.cooperative, i == 1);
        kernel_undefine(experiment);
    }
}

DEVICE_TEST(results_are_compared_with_the_reference)
{
    struct results results;
    run_kernel(device, KERNEL("nearly_right", REFERENCE), "{\"n\": 100," FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
    assert_non_null(find_reported(&results, "speedup", ""));
    run_kernel(device, KERNEL("wrong", REFERENCE), "{\"n\": 100," FEW "}", &results);
    assert_true(results.any_wrong);
    assert_int_equal(find_reported(&results, "time", "")->wrong, 1);
    static const char words[] = "n 100: element 5 of y is the first that differs from the reference: ";
    assert_memory_equal(results.warning, words, strlen(words));
    char *rest;
    double found = strtod(results.warning + strlen(words), &rest), must_be = 2.5 * lab_pattern_float(5, 1) + 5;
    assert_true(fabs(found - must_be - 0.5) < 1e-5);
    assert_true(fabs(strtod(rest + strlen(" instead of "), NULL) - must_be) < 1e-5);
}

#define EXPECTED "\"direction\": \"inout\", \"expected\": \"a * x[i] + y[i] + 0 * ax\""

DEVICE_TEST(outputs_are_compared_with_what_is_expected)
{
    struct results results;
    run_expecting(device, "right", EXPECTED, &results);
    assert_true(find_reported(&results, "time", "")->verified);
    assert_null(find_reported(&results, "speedup", ""));
    run_expecting(device, "nearly_right", EXPECTED ", \"tolerance\": 0", &results);
    assert_true(results.any_wrong);
    run_expecting(device, "wrong", EXPECTED, &results);
    assert_int_equal(find_reported(&results, "time", "")->wrong, 1);
    char inputs[96];
    snprintf(inputs, sizeof inputs, ", where x[5] = %.9g, y[5] was 5, a = 2.5", lab_pattern_float(5, 1));
    static const char words[] = "n 100: element 5 of y is the first that differs from what is expected: ";
    assert_memory_equal(results.warning, words, strlen(words));
    assert_string_equal(strchr(results.warning + strlen(words), ','), inputs);
}

/* Writes members of y that say by saved elements what the kernel `right` makes of it with n 100, but for the one at
 * `other`. */
static void save_output(size_t other, const char *more, char *members, size_t size)
{
    float y[100];
    for (size_t i = 0; i < 100; i++)
        y[i] = 2.5F * lab_pattern_float(i, 1) + (float)i + (i == other ? 0.5F : 0);
    char *saved = lab_base64_encode(y, sizeof y);
    snprintf(members, size, "\"direction\": \"inout\", \"expected_data\": \"%s\"%s", saved, more);
    free(saved);
}

DEVICE_TEST(outputs_are_compared_with_saved_ones)
{
    struct results results;
    char members[1024], inputs[96];
    save_output(100, "", members, sizeof members);
    run_expecting(device, "right", members, &results);
    assert_true(find_reported(&results, "time", "")->verified);
    assert_false(results.any_wrong);
    assert_null(find_reported(&results, "speedup", ""));
    run_expecting(device, "wrong", members, &results);
    assert_int_equal(find_reported(&results, "time", "")->wrong, 1);
    save_output(7, "", members, sizeof members);
    run_expecting(device, "right", members, &results);
    assert_int_equal(find_reported(&results, "time", "")->wrong, 1);
    static const char words[] = "n 100: element 7 of y is the first that differs from the saved output: ";
    assert_memory_equal(results.warning, words, strlen(words));
    snprintf(inputs, sizeof inputs, ", where x[7] = %.9g, y[7] was 7, a = 2.5, n = 100", lab_pattern_float(7, 1));
    assert_string_equal(strchr(results.warning + strlen(words), ','), inputs);
    save_output(7, ", \"tolerance\": 0.5", members, sizeof members);
    run_expecting(device, "right", members, &results);
    assert_false(results.any_wrong);
}

/* Elements 0.5, 1, 1.5, 2 of x with the content data, which y must be the double of. */
#define GIVEN(rest) "{\"entry\": \"right\", \"grid\": 1, \"block\": 1, \"arguments\": " GIVEN_ARGUMENTS(rest) "}"
#define GIVEN_ARGUMENTS(rest)                                                                                                        \
    "[{\"name\": \"x\", \"kind\": \"buffer\","                                                                                       \
    " \"type\": \"fp32\", \"count\": \"n\", \"content\": \"data\", \"data\": \"AAAAPwAAgD8AAMA/AAAAQA==\"},"                         \
    "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": 4, \"content\": \"zero\", \"direction\": \"inout\"" rest \
    "}, {\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"fp32\", \"value\": 2},"                                                  \
    "{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": 4}]"

DEVICE_TEST(elements_can_be_given)
{
    struct results results;
    run_kernel(device, GIVEN(", \"expected_data\": \"AACAPwAAAEAAAEBAAACAQA==\""), "{" FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
    run_kernel(device, GIVEN(", \"expected_data\": \"AACAPwAAAEAAAAAAAACAQA==\""), "{" FEW "}", &results);
    assert_string_equal(results.warning,
                        "a 2, n 4: element 2 of y is the first that differs from the saved output: 3 instead of 0, "
                        "where x[2] = 1.5, y[2] was 0, a = 2, n = 4");
}

TEST(inputs_are_shown_as_elements_of_their_type)
{
    struct lab_errors errors = {0};
    const struct lab_experiment *experiment = define(
        "{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"u8\", \"count\": 4}, "
        "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"u8\", \"count\": 4, \"direction\": \"out\", \"expected\": \"x[i]\"}]}",
        &errors);
    char text[LAB_DETAIL_MAX], wanted[LAB_DETAIL_MAX];
    assert_non_null(experiment);
    const struct kernel_definition *definition = kernel_definition_of(experiment);
    const struct kernel_wrong wrong = {&definition->arguments[1], 2, 7, 8};
    kernel_wrong_text(definition, &(struct lab_point){{0}}, 1, &wrong, text, sizeof text);
    snprintf(wanted, sizeof wanted,
             "element 2 of y is the first that differs from what is expected: 7 instead of 8, where x[2] = %u",
             (unsigned)(kernel_random(KERNEL_U8, 2, 1) & 255));
    assert_string_equal(text, wanted);
    kernel_undefine(experiment);
}

TEST(members_of_something_else_are_no_inputs)
{
    struct lab_errors errors = {0};
    const struct lab_experiment *experiment = define(
        "{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"x\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": 3}, "
        "{\"name\": \"z\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": 4}, "
        "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"u8\", \"count\": 4, \"direction\": \"out\", "
        "\"expected\": \"dim3(1). x + z + (&p) -> x\"}]}",
        &errors);
    char text[LAB_DETAIL_MAX];
    assert_non_null(experiment);
    const struct kernel_definition *definition = kernel_definition_of(experiment);
    const struct kernel_wrong wrong = {&definition->arguments[2], 2, 7, 8};
    kernel_wrong_text(definition, &(struct lab_point){.values = {3, 4}}, 1, &wrong, text, sizeof text);
    assert_string_equal(
        text, "x 3, z 4: element 2 of y is the first that differs from what is expected: 7 instead of 8, where z = 4");
    kernel_undefine(experiment);
}

/* --- tables of buffers, textures and surfaces --------------------------------------------------------------------- */

#define TABLE(wrong, rest)                                                                                               \
    "{\"entry\": \"add_to_table\", \"grid\": 1, \"block\": 1, \"arguments\": ["                                          \
    "{\"name\": \"t\", \"kind\": \"table\", \"type\": \"i32\", \"buffers\": \"b\", \"count\": 8, \"content\": \"ramp\"," \
    " \"direction\": \"inout\"" rest                                                                                     \
    "}, {\"name\": \"b\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": 4},"                                       \
    "{\"name\": \"w\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": " wrong "}]}"

DEVICE_TEST(a_table_is_an_array_of_pointers_to_buffers)
{
    struct results results;
    run_kernel(device, TABLE("0", ", \"expected\": \"t[i / 8][i % 8] + 1\""), "{" FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
    run_kernel(device, TABLE("1", ", \"expected\": \"t[i / 8][i % 8] + 1\""), "{" FEW "}", &results);
    assert_int_equal(find_reported(&results, "time", "")->wrong, 1);
    static const char words[] =
        "b 4, w 1: element 5 of t[2] is the first that differs from what is expected: 23 instead of 22";
    assert_string_equal(results.warning, words);
}

/* --- a check in C ------------------------------------------------------------------------------------------------- */

/* Skips a test where this user cannot execute programs. */
static void need_sandbox(void)
{
    struct lab_error error;
    json_t *sandbox = program_sandbox(NULL, &error);
    if (sandbox == NULL)
        skip();
    json_decref(sandbox);
}

#define CHECKED(entry, source) KERNEL(entry, ", \"check\": \"" source "\"")

DEVICE_TEST(outputs_are_compared_with_what_a_function_computes)
{
    static const char check[] = CHECKED(
        "wrong",
        "#include <stdint.h>\\nvoid check(const float *x, float *y, float a, int32_t n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }");
    struct results results;
    char inputs[96];
    need_sandbox();
    run_kernel(device, check, "{\"n\": 100," FEW "}", &results);
    assert_int_equal(find_reported(&results, "time", "")->wrong, 1);
    static const char words[] = "n 100: element 5 of y is the first that differs from what the check computes: ";
    assert_memory_equal(results.warning, words, strlen(words));
    snprintf(inputs, sizeof inputs, ", where x[5] = %.9g, y[5] was 5, a = 2.5, n = 100", lab_pattern_float(5, 1));
    assert_string_equal(strchr(results.warning + strlen(words), ','), inputs);
}

DEVICE_TEST(a_check_gets_tables_as_pointers_and_16_bit_floats_as_floats)
{
    struct results results;
    run_kernel(
        device,
        "{\"entry\": \"table_of_halves\", \"grid\": 1, \"block\": 1, \"check\": \"void check(float **t, const double d) "
        "{ for (int b = 0; b < 3; b++) for (int i = 0; i < 4; i++) t[b][i] += (float)d; }\", \"arguments\": ["
        "{\"name\": \"t\", \"kind\": \"table\", \"type\": \"fp16\", \"buffers\": 3, \"count\": 4, \"content\": \"ramp\","
        " \"direction\": \"inout\"}, {\"name\": \"d\", \"kind\": \"scalar\", \"type\": \"fp64\", \"value\": 0.5}]}",
        "{" FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
}

#define OF_STRUCTURES(check)                                                                                           \
    "{\"entry\": \"of_structures\", \"grid\": 1, \"block\": 1, \"check\": \"" check                                       \
    "\", \"arguments\": [{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": 4, \"direction\": \"out\"}," \
    "{\"name\": \"p\", \"kind\": \"struct\", \"fields\": [" FIELD("alpha", "fp32", "0.5") ","                                \
    FIELD("beta", "fp64", "-2") "," FIELD("half", "fp16", "1.5") "," FIELD("n", "i8", "-3") "]},"                          \
    "{\"name\": \"v\", \"kind\": \"struct\", \"align\": 8, \"fields\": [" FIELD("x", "fp32", "7") ","                          \
    FIELD("y", "fp32", "0.25") "]}]}"

DEVICE_TEST(a_check_gets_structures_and_vectors)
{
    struct results results;
    need_sandbox();
    run_kernel(device,
               OF_STRUCTURES("void check(float *y, const struct p p, float2 v) { for (int i = 0; i < 4; i++) y[i] = "
                             "p.alpha + p.beta + p.half + p.n + v.y * i; }"),
               "{" FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
    run_kernel(device, OF_STRUCTURES("void check(float *y, struct p p, float2 v) { y[0] = p.n + v.x; }"), "{" FEW "}",
               &results);
    assert_string_equal(results.warning,
                        "element 0 of y is the first that differs from what the check computes: -3 instead of 4, where "
                        "p.alpha = 0.5, p.beta = -2, p.half = 1.5, p.n = -3, v.x = 7, v.y = 0.25");
}

DEVICE_TEST(a_check_gets_given_elements)
{
    struct results results;
    need_sandbox();
    run_kernel(
        device,
        "{\"entry\": \"right\", \"grid\": 1, \"block\": 1, \"check\": \"void check(const float *x, float *y, float a, int n) "
        "{ for (int i = 0; i < 4; i++) y[i] = (i + 1) * 0.5f * a == a * x[i] ? a * x[i] : -1; }\", \"arguments\": " GIVEN_ARGUMENTS(
            "") "}",
        "{" FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
}

DEVICE_TEST(a_check_that_does_not_compile_or_ends_by_itself_fails_the_run)
{
    static const struct {
        const char *kernel, *detail;
    } examples[] = {
        {CHECKED("right", "void check(void) { nothing(; }"), "In check.c, line 1, column 28: expected expression"},
        {CHECKED("right", "#include <stdlib.h>\\nvoid check(const float *x, float *y, float a, int n) { exit(3); }"),
         "The check of the kernel exited with code 3."},
    };
    need_sandbox();
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct results results;
        struct lab_errors errors = {0};
        struct lab_own_variant variant = variant_of("right");
        const struct lab_experiment *experiment = define(examples[i].kernel, &errors);
        const struct lab_own_kernels own = {.step = "", .variant_count = 1, .variants = &variant};
        run_with_kernels(experiment, device, "{\"n\": 100," FEW "}", &own, &results);
        assert_false(results.good);
        if (strstr(results.error.detail, examples[i].detail) == NULL)
            fail_msg("%s", results.error.detail);
        kernel_undefine(experiment);
    }
}

#define OF_TEXTURE(kind, type, rest)                                                                                   \
    "{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\","           \
    " \"value\": 12}, {\"name\": \"i\", \"kind\": \"" kind "\", \"type\": \"" type "\", " rest "}]}"

TEST(textures_are_described_for_the_runtime)
{
    struct lab_errors errors = {0};
    struct lab_workload workload;
    const struct lab_device_facts device = {.max_texture_2d_layered = {100, 100, 8}};
    const struct lab_point point = {{12}};
    const struct lab_experiment *experiment = define(
        OF_TEXTURE(
            "texture", "u8",
            "\"extent\": [\"n\", \"n / 4\"], \"layers\": 2, \"channels\": 4, \"filter\": \"linear\", "
            "\"address\": [\"mirror\", \"border\"], \"coordinates\": \"normalized\", \"read\": \"normalized-float\""),
        &errors);
    if (experiment == NULL)
        fail_msg("%s %s", errors.items[0].pointer, errors.items[0].detail);
    assert_true(kernel_describe(kernel_definition_of(experiment), &device, &point, KERNEL_OWN, &workload, &errors));
    const struct lab_workload_argument *found = &workload.steps[0].arguments[1];
    assert_int_equal(found->kind, LAB_ARGUMENT_TEXTURE);
    assert_int_equal(workload.buffers[found->buffer].bytes, 12 * 3 * 2 * 4);
    assert_int_equal(lab_workload_bytes(&workload, true), 2 * 12 * 3 * 2 * 4); /* with its array */
    const struct lab_texture_shape wanted = {.extent = {12, 3},
                                             .layers = 2,
                                             .channels = 4,
                                             .bits = 8,
                                             .format = LAB_TEXTURE_UNSIGNED,
                                             .memory = LAB_TEXTURE_ARRAY,
                                             .address = {LAB_TEXTURE_MIRROR, LAB_TEXTURE_BORDER},
                                             .linear_filter = true,
                                             .normalized_coordinates = true,
                                             .normalized_values = true};
    assert_memory_equal(&found->texture, &wanted, sizeof wanted);
    kernel_undefine(experiment);
}

TEST(textures_and_tables_are_refused_with_pointers)
{
    static const struct {
        const char *kernel, *error;
    } examples[] = {
        {OF_TEXTURE("texture", "fp32", "\"count\": 4"), "unknown-field /kernel/arguments/1/count"},
        {OF_TEXTURE("texture", "fp32", "\"filter\": \"linear\""), "missing /kernel/arguments/1/extent"},
        {OF_TEXTURE("texture", "fp64", "\"extent\": 4"), "out-of-bounds /kernel/arguments/1/type"},
        {OF_TEXTURE("surface", "bf16", "\"extent\": 4"), "out-of-bounds /kernel/arguments/1/type"},
        {OF_TEXTURE("texture", "fp32", "\"extent\": [4, 4], \"channels\": 3"),
         "out-of-bounds /kernel/arguments/1/channels"},
        {OF_TEXTURE("texture", "fp32", "\"extent\": [4, 4, 4], \"layers\": 2"),
         "out-of-bounds /kernel/arguments/1/layers"},
        {OF_TEXTURE("texture", "i32", "\"extent\": 4, \"filter\": \"linear\""),
         "out-of-bounds /kernel/arguments/1/filter"},
        {OF_TEXTURE("texture", "u32", "\"extent\": 4, \"read\": \"normalized-float\""),
         "out-of-bounds /kernel/arguments/1/read"},
        {OF_TEXTURE("texture", "fp32", "\"extent\": 4, \"address\": \"wrap\""),
         "out-of-bounds /kernel/arguments/1/address"},
        {OF_TEXTURE("texture", "fp32", "\"extent\": [4, 4], \"address\": [\"clamp\", \"mirror\"]"),
         "out-of-bounds /kernel/arguments/1/address"},
        {OF_TEXTURE("texture", "fp32", "\"extent\": [4, 4], \"address\": [\"clamp\"]"),
         "out-of-bounds /kernel/arguments/1/address"},
        {OF_TEXTURE("texture", "fp32", "\"extent\": [4, 4], \"memory\": \"linear\""),
         "out-of-bounds /kernel/arguments/1/memory"},
        {OF_TEXTURE("texture", "fp32", "\"extent\": 4, \"memory\": \"linear\", \"filter\": \"linear\""),
         "out-of-bounds /kernel/arguments/1/memory"},
        {OF_TEXTURE("texture", "fp32", "\"extent\": 4, \"direction\": \"out\""),
         "unknown-field /kernel/arguments/1/direction"},
        {OF_TEXTURE("surface", "fp32", "\"extent\": 4, \"filter\": \"linear\""),
         "unknown-field /kernel/arguments/1/filter"},
        {OF_TEXTURE("table", "fp32", "\"count\": 4"), "missing /kernel/arguments/1/buffers"},
        {OF_TEXTURE("table", "fp32", "\"buffers\": 4"), "missing /kernel/arguments/1/count"},
        {OF_TEXTURE("buffer", "fp32", "\"buffers\": 4, \"count\": 4"), "unknown-field /kernel/arguments/1/buffers"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_errors errors = {0};
        char found[256];
        assert_null(define(examples[i].kernel, &errors));
        snprintf(found, sizeof found, "%s %s", lab_error_name(errors.items[0].code), errors.items[0].pointer);
        assert_string_equal(found, examples[i].error);
    }
}

#define SAVED_N(count, saved)                                                                                                     \
    "{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": [2, 4]}, " \
    "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"i16\", \"count\": " count                                                \
    ", \"direction\": \"out\", "                                                                                                  \
    "\"expected_data\": \"" saved "\"}]}"

TEST(a_saved_output_has_the_elements_of_the_buffer_at_each_point)
{
    static const struct {
        const char *kernel, *error;
    } examples[] = {
        {SAVED_N("2", "AQACAA=="), NULL},
        {SAVED_N("\"n\"", "AQACAA=="),
         "/kernel/arguments/1/expected_data The given elements have 4 bytes, but 'y' has 4 elements of 2 bytes for n 4. Given "
         "elements have one size, which must not vary over an axis."},
        {SAVED_N("2", "AQACAAM="),
         "/kernel/arguments/1/expected_data The given elements have 5 bytes, but 'y' has 2 elements of 2 bytes for n 2. Given "
         "elements have one size, which must not vary over an axis."},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char found[LAB_POINTER_MAX + LAB_DETAIL_MAX] = "";
        struct lab_errors errors = {0};
        struct lab_workload workload;
        const struct lab_device_facts device = {.name = "a device"};
        const struct lab_experiment *experiment = define(examples[i].kernel, &errors);
        assert_non_null(experiment);
        for (int64_t n = 2; n <= 4 && errors.count == 0; n += 2)
            kernel_describe(kernel_definition_of(experiment), &device, &(struct lab_point){{n}}, KERNEL_REFERENCE,
                            &workload, &errors);
        if (errors.count > 0)
            snprintf(found, sizeof found, "%s %s", errors.items[0].pointer, errors.items[0].detail);
        assert_string_equal(found, examples[i].error != NULL ? examples[i].error : "");
        kernel_undefine(experiment);
    }
}

#define SAVING(direction, entry, rest)                                                                                 \
    "{\"entry\": \"" entry                                                                                             \
    "\", \"grid\": 1, \"block\": 64, \"arguments\": ["                                                                 \
    "{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": 8, \"content\": \"ramp\"},"                \
    "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": 8, \"content\": \"ramp\","                 \
    " \"direction\": \"" direction "\", \"save\": true" rest                                                           \
    "},"                                                                                                               \
    "{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"fp32\", \"value\": 2},"                                       \
    "{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": 8}]}"

/* 0, 3, 6, … 21: those of one launch, though many were measured. */
#define OF_ONE_LAUNCH "AAAAAAAAQEAAAMBAAAAQQQAAQEEAAHBBAACQQQAAqEE="

DEVICE_TEST(an_output_is_saved_as_one_launch_makes_it)
{
    struct results results;
    run_kernel(device, SAVING("inout", "right", ""), "{" FEW "}", &results);
    assert_string_equal(results.fields, "{\"name\":\"y\",\"rows\":1,\"columns\":8,\"values\":\"" OF_ONE_LAUNCH
                                        "\",\"element_type\":\"fp32\",\"axes\":{\"a\":2,\"n\":8}}");
    run_kernel(device, SAVING("inout", "right", ", \"expected_data\": \"" OF_ONE_LAUNCH "\""), "{" FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
    assert_true(strlen(results.fields) > 0);
    run_kernel(device, SAVING("inout", "wrong", ", \"expected_data\": \"" OF_ONE_LAUNCH "\""), "{" FEW "}", &results);
    assert_string_equal(results.fields, "");
    assert_string_equal(results.warning, "no output was saved, because there are wrong ones");
}

DEVICE_TEST(what_cannot_be_saved_is_refused)
{
    static const struct {
        const char *kernel, *error;
    } examples[] = {
        {SAVING("in", "right", ""), "/kernel/arguments/1/save Only an argument that is out or inout has it."},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"i8\", \"count\": 524289, "
         "\"direction\": \"out\", \"save\": true}]}",
         "/kernel/arguments/0/save 'y' has 524289 bytes; an output that is saved has at most 524288."},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"i8\", \"count\": 8, "
         "\"direction\": \"out\", \"save\": true}, {\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": [1, 2]}]}",
         "/kernel/arguments/0/save The run has 2 points; outputs are saved of a run with one: give each scalar and macro "
         "one value."},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char found[LAB_POINTER_MAX + LAB_DETAIL_MAX] = "";
        struct lab_errors errors = {0};
        struct lab_estimate estimate;
        const struct lab_device_facts *facts = &device->facts;
        const struct lab_experiment *experiment = define(examples[i].kernel, &errors);
        struct lab_parameters *parameters = experiment != NULL ? lab_parameters_parse(experiment, NULL, &errors) : NULL;
        if (parameters != NULL)
            experiment->plan(parameters, &facts, 1, &estimate, &errors);
        if (errors.count > 0)
            snprintf(found, sizeof found, "%s %s", errors.items[0].pointer, errors.items[0].detail);
        assert_string_equal(found, examples[i].error);
        lab_parameters_free(parameters);
        if (experiment != NULL)
            kernel_undefine(experiment);
    }
}

DEVICE_TEST(a_tolerance_can_be_given)
{
    struct results results;
    run_kernel(device, KERNEL("nearly_right", ", \"reference\": {\"entry\": \"right\"," LAUNCH ", \"tolerance\": 0}"),
               "{\"n\": 100," FEW "}", &results);
    assert_true(results.any_wrong);
}

#define BUFFER(members) "{\"name\": \"a\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": 64, " members "}"
#define OTHER "{\"name\": \"b\", \"kind\": \"buffer\", \"type\": \"i8\", \"count\": 64, \"direction\": \"out\"}"

TEST(descriptions_are_refused_with_pointers)
{
    static const struct {
        const char *kernel, *error;
    } examples[] = {
        {"{}", "missing /kernel/arguments"},
        {"{" LAUNCH ", \"arguments\": [5]}", "wrong-type /kernel/arguments/0"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a b\", \"kind\": \"scalar\", \"type\": \"i8\", \"value\": 1}]}",
         "out-of-bounds /kernel/arguments/0/name"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"seed\", \"kind\": \"scalar\", \"type\": \"i8\", \"value\": 1}]}",
         "out-of-bounds /kernel/arguments/0/name"},
        {"{" LAUNCH
         ", \"arguments\": [{\"name\": \"counters\", \"kind\": \"scalar\", \"type\": \"i8\", \"value\": 1}]}",
         "out-of-bounds /kernel/arguments/0/name"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"image\"}]}",
         "unknown-value /kernel/arguments/0/kind"},
        {"{" LAUNCH ", \"arguments\": [{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"float\"}]}",
         "unknown-value /kernel/arguments/0/type"},
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
        {"{\"expressions\": 3," LAUNCH ", \"arguments\": []}", "out-of-bounds /kernel/expressions"},
        {"{\"expressions\": 0," LAUNCH ", \"arguments\": []}", "out-of-bounds /kernel/expressions"},
        {"{\"expressions\": null," LAUNCH ", \"arguments\": []}", "wrong-type /kernel/expressions"},
        {"{\"grid\": [1, 1, 1, 1], \"block\": 1, \"arguments\": []}", "out-of-bounds /kernel/grid"},
        {"{\"grid\": [1, \"k\"], \"block\": 1, \"arguments\": []}", "bad-expression /kernel/grid/1"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [], \"bytes\": \"1 +\"}", "bad-expression /kernel/bytes"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [], \"reference\": {\"grid\": 1, \"block\": 1}}",
         "out-of-bounds /kernel/reference"},
        {KERNEL("a", ", \"reference\": {\"grid\": 1}"), "missing /kernel/reference/block"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER("\"content\": \"data\"") "]}",
         "out-of-bounds /kernel/arguments/0/data"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER("\"data\": \"AAAA\"") "]}",
         "out-of-bounds /kernel/arguments/0/data"},
        {KERNEL("a", ", \"check\": \"\""), "out-of-bounds /kernel/check"},
        {KERNEL("a", ", \"check\": \"c\"" REFERENCE), "out-of-bounds /kernel/reference"},
        {"{\"grid\": 1, \"block\": 1, \"check\": \"c\", \"arguments\": [" BUFFER("\"content\": \"zero\"") "]}",
         "out-of-bounds /kernel/check"},
        {"{\"grid\": 1, \"block\": 1, \"check\": \"c\", \"arguments\": [" OTHER
         ", {\"name\": \"s\", \"kind\": \"struct\", \"fields\": [" FIELD("a b", "u8", "3") "]}]}",
         "out-of-bounds /kernel/check"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER("\"direction\": \"out\", \"expected\": \"s.a\"") ", {\"name\": \"s\", \"kind\": \"struct\", \"fields\": [" FIELD(
             "a", "u8", "3") "," FIELD("a", "u8", "3") "]}]}",
         "out-of-bounds /kernel/arguments/0/expected"},
        {"{\"grid\": 1, \"block\": 1, \"check\": \"c\", \"arguments\": [" BUFFER(
             "\"direction\": \"out\", \"expected\": \"1\"") "]}",
         "out-of-bounds /kernel/check"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER("\"expected\": \"1\"") "]}",
         "out-of-bounds /kernel/arguments/0/expected"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER("\"expected_data\": \"AAAA\"") "]}",
         "out-of-bounds /kernel/arguments/0/expected_data"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER(
             "\"direction\": \"out\", \"expected_data\": \"AAA?\"") "]}",
         "out-of-bounds /kernel/arguments/0/expected_data"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER(
             "\"direction\": \"out\", \"expected\": \"1\", \"expected_data\": \"AAAA\"") "]}",
         "out-of-bounds /kernel/arguments/0/expected_data"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER(
             "\"direction\": \"out\", \"expected_data\": \"AAAA\"") ", " OTHER "]}",
         "missing /kernel/arguments/1/expected"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER(
             "\"direction\": \"out\", \"expected_data\": \"AAAA\"") "], \"reference\": {\"grid\": 1, \"block\": 1}}",
         "out-of-bounds /kernel/reference"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER("\"direction\": \"out\", \"tolerance\": 1") "]}",
         "out-of-bounds /kernel/arguments/0/tolerance"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER("\"direction\": \"out\", \"expected\": \"1\"") ", " OTHER
                                                                                                              "]}",
         "missing /kernel/arguments/1/expected"},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [" BUFFER(
             "\"direction\": \"out\", \"expected\": \"1\"") "], "
                                                            "\"reference\": {\"grid\": 1, \"block\": 1}}",
         "out-of-bounds /kernel/reference"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_errors errors = {0};
        char found[256];
        assert_null(define(examples[i].kernel, &errors));
        snprintf(found, sizeof found, "%s %s", lab_error_name(errors.items[0].code), errors.items[0].pointer);
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

TEST(limits_of_the_device_are_checked_at_every_point)
{
#define NEWEST "\"expressions\": 2,"
#define SCALAR(type, value)                                                                                            \
    "\"arguments\": [{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"" type "\", \"value\": " value "}]"
    static const struct {
        const char *kernel, *error;
    } examples[] = {
        {"{\"grid\": \"n\", \"block\": 1024, \"shared\": 232448," SCALAR("i32", "[1, 2]") "}", ""},
        {"{\"grid\": \"n / 64\", \"block\": 64," SCALAR("i32", "[128, 100]") "}",
         "/kernel/grid \"n / 64\" is 1.5625 for n 100; it must be a whole number from 1 to 2147483647, and / does not round "
         "(expressions: 1)."},
        {"{" NEWEST "\"grid\": \"n / 64\", \"block\": 64," SCALAR("i32", "[128, 100]") "}", ""},
        {"{" NEWEST "\"grid\": \"n / 64\", \"block\": 64," SCALAR("i32", "[128, 63]") "}",
         "/kernel/grid \"n / 64\" is 0 for n 63; it must be a whole number from 1 to 2147483647."},
        {"{" NEWEST "\"grid\": \"n / 64.0\", \"block\": 64," SCALAR("i32", "100") "}",
         "/kernel/grid \"n / 64.0\" is 1.5625 for n 100; it must be a whole number from 1 to 2147483647."},
        {"{" NEWEST "\"grid\": \"64 / n\", \"block\": 1," SCALAR("i32", "[1, 0]") "}",
         "/kernel/grid \"64 / n\" divides by 0 for n 0."},
        {"{" NEWEST "\"grid\": \"1 << n\", \"block\": 1," SCALAR("i32", "[3, 64]") "}",
         "/kernel/grid \"1 << n\" shifts by fewer than 0 or more than 63 bits for n 64."},
        {"{" NEWEST "\"grid\": 1, \"block\": 1, \"shared\": \"n * n * n\"," SCALAR("i64", "\"8TiB\"") "}",
         "/kernel/shared \"n * n * n\" exceeds 64 bits for n 8796093022208."},
        {"{\"grid\": [1, \"n\"], \"block\": 64," SCALAR("i32", "65536") "}",
         "/kernel/grid/1 \"n\" is 65536 for n 65536; it must be a whole number from 1 to 65535."},
        {"{\"grid\": 1, \"block\": [\"n\", 32]," SCALAR("i32", "64") "}", "/kernel/block/0 A block has 2048 threads"},
        {"{\"grid\": 1, \"block\": 1, \"shared\": 232449," SCALAR("i32", "1") "}",
         "/kernel/shared The value is 232449 for n 1; it must be a whole number from 0 to 232448."},
        {"{\"grid\": 1, \"block\": 1," SCALAR("u8", "256") "}",
         "/kernel/arguments/0/value The value is 256 for n 256; an argument of this type must be a whole number from 0 to "
         "255."},
        {"{" NEWEST "\"grid\": 1, \"block\": 1," SCALAR("u64", "\"18446744073709551615 + 0\"") "}",
         "/kernel/arguments/0/value \"18446744073709551615 + 0\" is 1.844674407370955e+19; an argument of this type must "
         "be a whole number from 0 to 9007199254740991."},
        {"{" NEWEST "\"grid\": 1, \"block\": 1," SCALAR("i64", "-9007199254740991") "}", ""},
        {"{\"grid\": 1, \"block\": 1," SCALAR("i16", "\"2 - 1.5\"") "}",
         "/kernel/arguments/0/value \"2 - 1.5\" is 0.5; an argument of this type"},
        {"{\"grid\": 1, \"block\": 1, \"bytes\": \"-n\"," SCALAR("i16", "3") "}",
         "/kernel/bytes \"-n\" is -3 for n 3; it must be at least 0."},
        {"{" NEWEST "\"grid\": 1, \"block\": 1, \"operations\": \"1 / (n - 3)\"," SCALAR("i16", "3") "}",
         "/kernel/operations \"1 / (n - 3)\" divides by 0 for n 3."},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"fp64\","
         " \"count\": 131073}]}",
         "/kernel/arguments/0/count The value is 131073; it must be a whole number from 1 to 131072."},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"x\", \"kind\": \"table\", \"type\": \"fp64\","
         " \"buffers\": 1024, \"count\": 129}]}",
         "/kernel/arguments/0/count The value is 129; it must be a whole number from 1 to 128."},
        {"{\"grid\": 1, \"block\": 1, \"arguments\": [{\"name\": \"x\", \"kind\": \"texture\", \"type\": \"u8\","
         " \"extent\": [64, 65537]}]}",
         "/kernel/arguments/0/extent/1 The value is 65537; it must be a whole number from 1 to 16384."},
        {"{\"block\": [16, 16], \"arguments\": [{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"i8\","
         " \"count\": \"2^21\"}]}",
         "/kernel/arguments/0/count \"2^21\" is 2097152; it must be a whole number from 1 to 1048576."},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const char *error = plan_error(examples[i].kernel);
        if (strncmp(error, examples[i].error, strlen(examples[i].error)) != 0 ||
            (*error == '\0') != (*examples[i].error == '\0'))
            fail_msg("%s: %s", examples[i].kernel, error);
    }
}

/* The workload of a kernel at its first point on a device without limits. */
static struct lab_workload workload_of(const char *text)
{
    struct lab_errors errors = {0};
    struct lab_device_facts device;
    struct lab_points points;
    struct lab_workload workload;
    const struct lab_experiment *experiment = define(text, &errors);
    if (experiment == NULL)
        fail_msg("%s: %s %s", text, errors.items[0].pointer, errors.items[0].detail);
    lab_facts_clear(&device);
    struct lab_parameters *parameters = lab_parameters_parse(experiment, NULL, &errors);
    assert_true(lab_points_init(&points, parameters, (const struct lab_device_facts *[]){&device}, 1, &errors));
    if (!kernel_describe(kernel_definition_of(experiment), &device, points.items, KERNEL_OWN, &workload, &errors))
        fail_msg("%s: %s %s", text, errors.items[0].pointer, errors.items[0].detail);
    lab_points_release(&points);
    lab_parameters_free(parameters);
    kernel_undefine(experiment);
    return workload;
}

TEST(what_must_be_whole_has_the_arithmetic_of_c)
{
#define LAUNCHED(version)                                                                                              \
    "{" version                                                                                                        \
    "\"grid\": [\"(n + 255) / 256\", \"n >> 8\"], \"block\": \"1 << 8\", \"shared\": \"n % 300 * 1KiB / 1K\","         \
    "\"bytes\": \"n / 3\", \"operations\": \"1MB\"," SCALAR("i32", "1000") "}"
    struct lab_workload workload = workload_of(LAUNCHED(NEWEST));
    assert_int_equal(workload.steps[0].launch.grid[0], 4);
    assert_int_equal(workload.steps[0].launch.grid[1], 3);
    assert_int_equal(workload.steps[0].launch.block[0], 256);
    assert_int_equal(workload.steps[0].launch.shared_bytes, 100);
    assert_true(workload.counts[LAB_COUNT_BYTES] == 1000 / 3.0);
    assert_true(workload.counts[LAB_COUNT_OPERATIONS] == 1e6);
    workload = workload_of("{" NEWEST
                           "\"grid\": \"2^10\", \"block\": \"1K\", \"arguments\": ["
                           "{\"name\": \"half\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": \"-7 / 2\"},"
                           "{\"name\": \"part\", \"kind\": \"scalar\", \"type\": \"fp64\", \"value\": \"1 / 4\"}]}");
    assert_int_equal(workload.steps[0].launch.grid[0], 1024);
    assert_int_equal(workload.steps[0].launch.block[0], 1024);
    assert_true(workload.steps[0].arguments[0].value.u64 == (uint64_t)-3);
    assert_true(kernel_value_of(KERNEL_FP64, workload.steps[0].arguments[1].value.u64) == 0.25);
}

/* Definitions without the member were stored when "/" never rounded. */
TEST(a_definition_without_a_version_keeps_real_division)
{
    static const char *const versions[] = {"", "\"expressions\": 1,"};
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text, "{%s\"grid\": \"n / 64 * 64\", \"block\": 64," SCALAR("i32", "100") "}",
                 versions[i]);
        assert_int_equal(workload_of(text).steps[0].launch.grid[0], 100);
        snprintf(text, sizeof text, "{%s\"grid\": \"n / 64\", \"block\": 64," SCALAR("i32", "100") "}", versions[i]);
        assert_non_null(strstr(plan_error(text), "\"n / 64\" is 1.5625"));
    }
    assert_int_equal(workload_of("{" NEWEST "\"grid\": \"n / 64 * 64\", \"block\": 64," SCALAR("i32", "100") "}")
                         .steps[0]
                         .launch.grid[0],
                     64);
}

TEST(without_a_grid_each_element_of_the_first_buffer_has_a_thread)
{
#define OF_BUFFER(count, block)                                                                                        \
    "{" NEWEST "\"block\": " block                                                                                     \
    ", \"arguments\": [{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\","                                     \
    " \"value\": 1000}, {\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"i8\", \"count\": " count "}]}"
    assert_int_equal(workload_of(OF_BUFFER("\"n\"", "256")).steps[0].launch.grid[0], 4);
    struct lab_workload workload = workload_of(OF_BUFFER("\"n / 3\"", "[16, 4]"));
    assert_int_equal(workload.steps[0].launch.grid[0], 6);
    assert_int_equal(workload.steps[0].launch.grid[1], 0);
    assert_string_equal(plan_error(OF_BUFFER("\"n / 1001\"", "256")),
                        "/kernel/arguments/1/count \"n / 1001\" is 0 for n 1000; it must be a whole number from 1 to "
                        "1048576.");
}

TEST(whole_numbers_may_be_texts)
{
    static const struct {
        const char *value, *values; /* of the axis n; NULL: there is none */
    } examples[] = {
        {"\"64KiB\"", "[65536]"},  {"[\"1K\", \"1KB\", 5]", "[1024,1000,5]"},
        {"\"2^20\"", "[1048576]"}, {"\"1<<4\"", "[16]"},
        {"\"1e6\"", "[1000000]"},  {"1e6", "[1000000]"},
        {"\"-3\"", "[-3]"},        {"\"2 * 8\"", NULL},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_errors errors = {0};
        char text[256];
        snprintf(text, sizeof text, "{" NEWEST "\"grid\": 1, \"block\": 1," SCALAR("i32", "%s") "}", examples[i].value);
        const struct lab_experiment *experiment = define(text, &errors);
        assert_non_null(experiment);
        struct lab_parameters *parameters = lab_parameters_parse(experiment, NULL, &errors);
        json_t *resolved = lab_parameters_to_json(parameters);
        char *values = json_dumps(json_object_get(resolved, "n"), JSON_COMPACT);
        if ((values == NULL) != (examples[i].values == NULL) ||
            (values != NULL && strcmp(values, examples[i].values) != 0))
            fail_msg("%s: %s", examples[i].value, values != NULL ? values : "no axis");
        free(values);
        json_decref(resolved);
        lab_parameters_free(parameters);
        kernel_undefine(experiment);
    }
    struct lab_errors errors = {0};
    assert_null(define("{\"grid\": \"n\", \"block\": 1," SCALAR("i32", "1e6") "}", &errors)); /* no axis in version 1 */
    assert_null(define("{" NEWEST "\"grid\": 1, \"block\": 1," SCALAR("i32", "[\"1.5\"]") "}", &errors));
    errors = (struct lab_errors){0};
    assert_null(
        define("{" NEWEST "\"grid\": 1, \"block\": 1," SCALAR("u64", "[\"18446744073709551615\"]") "}", &errors));
    assert_string_equal(errors.items[0].detail,
                        "Must be a whole number from -(2^53 - 1) to 2^53 - 1, or a list of such numbers.");
    static const char *const refused[] = {"1.5", "\"1.0001K\"", "\"99999999999999999999\""};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char text[160];
        errors = (struct lab_errors){0};
        snprintf(text, sizeof text, "{" NEWEST "\"grid\": \"n\", \"block\": 1," SCALAR("i32", "%s") "}", refused[i]);
        assert_null(define(text, &errors));
        assert_int_equal(errors.count, 1); /* "n" is known: only its value is wrong */
        assert_string_equal(errors.items[0].pointer, "/kernel/arguments/0/value");
    }
}

TEST(elements_are_converted)
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
