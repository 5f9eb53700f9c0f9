/* server/client/commands/kernel_request.c: the kernel that the options of `gpulab kernel` describe. */
#include "commands/kernel_request.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCE "__global__ void axpy() {}\n"

static char file[] = "/tmp/gpulab-kernel-XXXXXX";

static int write_file(void **state)
{
    (void)state;
    int descriptor = mkstemp(file);
    ssize_t written = write(descriptor, SOURCE, strlen(SOURCE));
    close(descriptor);
    return written == (ssize_t)strlen(SOURCE) ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

AROUND_EACH_TEST(.setup = write_file, .teardown = remove_file)

/* The kernel of arguments that begin with "--" and FILE, or the first error as "POINTER: DETAIL". */
static json_t *kernel_of(const char *const *words, size_t count, char error[512])
{
    struct lab_kernel_options options = {.tolerance = -1};
    struct lab_arguments arguments = {0};
    struct lab_errors errors = {0};
    struct lab_option build[LAB_KERNEL_OPTIONS + 1];
    lab_build_options_table(build, LAB_KERNEL_OPTIONS, offsetof(struct lab_kernel_options, build));
    const struct lab_option_group groups[] = {
        {"Kernel", lab_kernel_options_table, &options}, {"Compiler", build, &options}, {0}};
    char *argv[32] = {"kernel"};
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    assert_true(lab_options_parse(groups, (int)count + 1, argv, &arguments, &errors));
    json_t *kernel = lab_kernel_request(&options, &(struct lab_texts){.count = 1, .items = {file}}, &errors);
    snprintf(error, 512, "%s: %s", errors.items[0].pointer, errors.items[0].detail);
    return kernel;
}

#define KERNEL_OF(error, ...)                                                                                          \
    kernel_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), error)

static void assert_json(json_t *found, const char *expected)
{
    json_t *wanted = json_loads(expected, JSON_DECODE_ANY, NULL);
    assert_non_null(wanted);
    if (!json_equal(found, wanted))
        fail_msg("%s", json_dumps(found, JSON_ENCODE_ANY));
    json_decref(wanted);
}

TEST(arguments_are_read)
{
    char error[512];
    json_t *kernel =
        KERNEL_OF(error, "--arg", "n:i32=1024,-2,1MiB,2^20", "--arg", "m:u8=7", "--arg", "e:i32=1<<20", "--arg",
                  "a:fp32=2.5", "--arg", "half:i32=max(n, 2)", "--arg", "both:i32=max(1,2), 3", "--arg",
                  "x:fp32[n * 2]", "--arg", "y:i8[16]:out", "--arg", "z:bf16[n]:ramp:inout", "--arg", "w:fp64[n]:1.5");
    if (kernel == NULL)
        fail_msg("%s", error);
    assert_json(
        json_object_get(kernel, "arguments"),
        "[{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": [1024, -2, \"1MiB\", \"2^20\"]},"
        "{\"name\": \"m\", \"kind\": \"scalar\", \"type\": \"u8\", \"value\": 7},"
        "{\"name\": \"e\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": \"1<<20\"},"
        "{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"fp32\", \"value\": 2.5},"
        "{\"name\": \"half\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": \"max(n, 2)\"},"
        "{\"name\": \"both\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": [\"max(1,2)\", 3]},"
        "{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": \"n * 2\"},"
        "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"i8\", \"count\": 16, \"direction\": \"out\"},"
        "{\"name\": \"z\", \"kind\": \"buffer\", \"type\": \"bf16\", \"count\": \"n\", \"direction\": \"inout\","
        " \"content\": \"ramp\"},"
        "{\"name\": \"w\", \"kind\": \"buffer\", \"type\": \"fp64\", \"count\": \"n\", \"content\": \"value\", \"value\": 1.5}]");
    assert_null(json_object_get(kernel, "grid")); /* the lab has the default */
    assert_json(json_object_get(kernel, "block"), "[256]");
    assert_string_equal(json_string_value(json_object_get(kernel, "source")), SOURCE);
    json_decref(kernel);
}

TEST(options_of_the_compiler_are_those_of_the_table)
{
    char error[512];
    json_t *kernel = KERNEL_OF(error, "--arg", "x:fp32[16]", "--define", "TILE=8,16", "--define", "FAST",
                               "--max-registers", "64", "--fast-math", "--std", "c++20");
    if (kernel == NULL)
        fail_msg("%s", error);
    assert_json(json_object_get(kernel, "options"),
                "{\"defines\": [\"TILE=8,16\", \"FAST\"], \"max_registers\": 64,"
                "\"fast_math\": true, \"std\": \"c++20\"}");
    assert_null(json_object_get(kernel, "files"));
    json_decref(kernel);
}

TEST(structures_vectors_and_variables_are_read)
{
    char error[512];
    json_t *kernel = KERNEL_OF(error, "--arg", "x:fp32[n]", "--arg", "b:{lo:fp32=0.5,cells:i32=max(n, 2)}", "--arg",
                               "d:float2=(1,n / 2)", "--variable", "taps:fp32=0.25,0.5", "--variable", "one:i32=7",
                               "--variable", "table:u8[256]:ramp");
    if (kernel == NULL)
        fail_msg("%s", error);
    json_t *arguments = json_object_get(kernel, "arguments");
    assert_json(json_array_get(arguments, 1),
                "{\"name\": \"b\", \"kind\": \"struct\", \"fields\": ["
                "{\"name\": \"lo\", \"type\": \"fp32\", \"value\": 0.5},"
                "{\"name\": \"cells\", \"type\": \"i32\", \"value\": \"max(n, 2)\"}]}");
    assert_json(json_array_get(arguments, 2),
                "{\"name\": \"d\", \"kind\": \"struct\", \"align\": 8, \"fields\": ["
                "{\"name\": \"x\", \"type\": \"fp32\", \"value\": 1},"
                "{\"name\": \"y\", \"type\": \"fp32\", \"value\": \"n / 2\"}]}");
    assert_json(json_array_get(arguments, 3),
                "{\"name\": \"taps\", \"kind\": \"variable\", \"type\": \"fp32\", \"values\": [0.25, 0.5]}");
    assert_json(json_array_get(arguments, 4),
                "{\"name\": \"one\", \"kind\": \"variable\", \"type\": \"i32\", \"values\": [7]}");
    assert_json(json_array_get(arguments, 5),
                "{\"name\": \"table\", \"kind\": \"variable\", \"type\": \"u8\","
                "\"count\": 256, \"content\": \"ramp\"}");
    json_decref(kernel);
    static const char *const wrong[] = {"b:{lo=1}", "b:{lo:fp32=1", "d:float2=(1)", "d:float2=(1,2,3)", "d:float2=1,2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(KERNEL_OF(error, "--arg", "x:fp32[16]", "--arg", wrong[i]));
}

TEST(textures_surfaces_and_tables_are_read)
{
    static const struct {
        const char *text, *argument;
    } examples[] = {
        {"i:texture<fp32>[w; 2 * h]:linear:mirror:normalized:ramp",
         "{\"name\": \"i\", \"kind\": \"texture\", \"type\": \"fp32\", \"extent\": [\"w\", \" 2 * h\"],"
         "\"filter\": \"linear\", \"address\": \"mirror\", \"coordinates\": \"normalized\", \"content\": \"ramp\"}"},
        {"i:texture<uchar4>[64]:normalized-float:layers=n:0.5",
         "{\"name\": \"i\", \"kind\": \"texture\", \"type\": \"u8\", \"channels\": 4, \"extent\": [64],"
         "\"read\": \"normalized-float\", \"layers\": \"n\", \"content\": \"value\", \"value\": 0.5}"},
        {"i:texture<u32>[n]:linear-memory",
         "{\"name\": \"i\", \"kind\": \"texture\", \"type\": \"u32\", \"extent\": [\"n\"], \"memory\": \"linear\"}"},
        {"s:surface<float2>[8;8;4]:out",
         "{\"name\": \"s\", \"kind\": \"surface\", \"type\": \"fp32\", \"channels\": 2, \"extent\": [8, 8, 4],"
         "\"direction\": \"out\"}"},
        {"a:fp64[batch][n * n]:inout:zero",
         "{\"name\": \"a\", \"kind\": \"table\", \"type\": \"fp64\", \"buffers\": \"batch\", \"count\": \"n * n\","
         "\"direction\": \"inout\", \"content\": \"zero\"}"},
    };
    char error[512];
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        json_t *kernel = KERNEL_OF(error, "--arg", examples[i].text, "--grid", "1");
        if (kernel == NULL)
            fail_msg("%s", error);
        assert_json(json_array_get(json_object_get(kernel, "arguments"), 0), examples[i].argument);
        json_decref(kernel);
    }
    static const char *const wrong[] = {
        "i:texture<fp32[4]",         "i:texture<fp32>",     "i:texture<>[4]",
        "i:texture<fp32>[4",         "i:texture<fp32>[4]:", "i:texture<fp32>[4]:layers=",
        "s:surface<fp32>[4]:in:out", "a:fp32[2][4",         "a:fp32[2][4][8]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(KERNEL_OF(error, "--arg", "x:fp32[16]", "--arg", wrong[i]));
    assert_null(KERNEL_OF(error, "--arg", "a:fp32[2][16]"));
    assert_string_equal(error,
                        "--grid: must be given: the kernel has no buffer from whose elements the blocks would follow");
}

TEST(cooperative_launches_and_clusters_are_read)
{
    char error[512];
    json_t *kernel = KERNEL_OF(error, "--arg", "x:fp32[16]", "--cooperative", "--cluster", "2; 1");
    if (kernel == NULL)
        fail_msg("%s", error);
    assert_json(json_object_get(kernel, "cluster"), "[2, 1]");
    assert_true(json_is_true(json_object_get(kernel, "cooperative")));
    json_decref(kernel);
}

TEST(a_check_is_read_with_the_tolerance_of_the_outputs)
{
    char error[512];
    json_t *kernel =
        KERNEL_OF(error, "--arg", "x:fp32[16]", "--arg", "y:fp32[16]:out", "--check", file, "--tolerance", "0.5");
    if (kernel == NULL)
        fail_msg("%s", error);
    assert_string_equal(json_string_value(json_object_get(kernel, "check")), SOURCE);
    json_t *arguments = json_object_get(kernel, "arguments");
    assert_null(json_object_get(json_array_get(arguments, 0), "tolerance"));
    assert_json(json_object_get(json_array_get(arguments, 1), "tolerance"), "0.5");
    json_decref(kernel);
    assert_null(KERNEL_OF(error, "--arg", "x:fp32[16]:out", "--check", "/tmp/gpulab-no-such-file"));
}

TEST(launch_and_reference_are_read)
{
    char error[512];
    json_t *kernel = KERNEL_OF(error, "--arg", "y:i8[16]:out", "--grid", "n; 4", "--block", "32;8", "--shared", "1024",
                               "--bytes", "2 * n", "--operations", "5", "--entry", "fast", "--reference", "slow",
                               "--reference-block", "1", "--tolerance", "0.5");
    assert_json(json_object_get(kernel, "grid"), "[\"n\", 4]");
    assert_json(json_object_get(kernel, "block"), "[32, 8]");
    assert_json(json_object_get(kernel, "shared"), "1024");
    assert_json(json_object_get(kernel, "bytes"), "\"2 * n\"");
    assert_json(json_object_get(kernel, "operations"), "5");
    assert_json(json_object_get(kernel, "entry"), "\"fast\"");
    assert_json(json_object_get(kernel, "reference"),
                "{\"entry\": \"slow\", \"grid\": [\"n\", 4], \"block\": [1], \"shared\": 1024, \"tolerance\": 0.5}");
    json_decref(kernel);
    kernel =
        KERNEL_OF(error, "--arg", "y:i8[16]:out", "--block", "32;8", "--reference", "slow", "--reference-block", "1");
    assert_json(json_object_get(kernel, "reference"), "{\"entry\": \"slow\", \"block\": [1]}");
    json_decref(kernel);
    kernel = KERNEL_OF(error, "--grid", "1", "--reference-file", file, "--reference-grid", "2");
    assert_json(json_object_get(json_object_get(kernel, "reference"), "grid"), "[2]");
    assert_string_equal(json_string_value(json_object_get(json_object_get(kernel, "reference"), "source")), SOURCE);
    json_decref(kernel);
}

TEST(what_outputs_are_expected_to_be_is_read)
{
    char error[512];
    json_t *kernel = KERNEL_OF(error, "--arg", "y:fp32[16]:out", "--arg", "z:i8[16]:out", "--expect", "y=a == 1",
                               "--expect", "z=i", "--tolerance", "0.5");
    assert_json(
        json_object_get(kernel, "arguments"),
        "[{\"name\": \"y\", \"type\": \"fp32\", \"kind\": \"buffer\", \"count\": 16, \"direction\": \"out\", "
        "\"expected\": \"a == 1\", \"tolerance\": 0.5}, {\"name\": \"z\", \"type\": \"i8\", \"kind\": \"buffer\", "
        "\"count\": 16, \"direction\": \"out\", \"expected\": \"i\"}]");
    assert_null(json_object_get(kernel, "reference"));
    json_decref(kernel);
    assert_null(KERNEL_OF(error, "--arg", "y:fp32[16]:out", "--expect", "x=1"));
    assert_string_equal(error, "--expect: 'x=1' must be NAME=EXPRESSION or NAME=@FILE, with the name of an argument");
    assert_null(KERNEL_OF(error, "--arg", "y:fp32[16]:out", "--expect", "y=1", "--expect", "y=2"));
    assert_string_equal(error, "--expect: y is given twice or is not UTF-8");
}

TEST(a_saved_output_is_sent_in_base64)
{
    char error[512], option[64];
    snprintf(option, sizeof option, "y=@%s", file);
    json_t *kernel = KERNEL_OF(error, "--arg", "y:fp32[16]:out", "--expect", option, "--tolerance", "0.5");
    if (kernel == NULL)
        fail_msg("%s", error);
    assert_json(json_object_get(kernel, "arguments"),
                "[{\"name\": \"y\", \"type\": \"fp32\", \"kind\": \"buffer\", \"count\": 16, \"direction\": \"out\", "
                "\"expected_data\": \"X19nbG9iYWxfXyB2b2lkIGF4cHkoKSB7fQo=\", \"tolerance\": 0.5}]");
    json_decref(kernel);
    assert_null(KERNEL_OF(error, "--arg", "y:fp32[16]:out", "--expect", option, "--expect", "y=1"));
    assert_string_equal(error, "--expect: y is given twice or is not UTF-8");
    assert_null(KERNEL_OF(error, "--arg", "y:fp32[16]:out", "--expect", "y=1", "--expect", option));
    assert_null(KERNEL_OF(error, "--arg", "y:fp32[16]:out", "--expect", "y=@/nowhere"));
    assert_string_equal(error, "/nowhere: cannot be read: No such file or directory");
    assert_null(KERNEL_OF(error, "--arg", "y:fp32[16]:out", "--expect", "y=@/dev/null"));
    assert_string_equal(error, "/dev/null: must have 1 to 524288 bytes of elements");
    assert_null(KERNEL_OF(error, "--arg", "y:fp32[16]:out", "--expect", "y=@/dev/zero"));
    assert_string_equal(error, "/dev/zero: must have 1 to 524288 bytes of elements");
}

static char array[] = "/tmp/gpulab-array-XXXXXX";

/* Writes a NumPy file of format 1.0 with this dictionary and two words. */
static void write_npy(const char *dictionary)
{
    const unsigned char prefix[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)strlen(dictionary), 0};
    const uint32_t words[] = {1, 2};
    FILE *out = fopen(array, "wb");
    fwrite(prefix, sizeof prefix, 1, out);
    fputs(dictionary, out);
    fwrite(words, sizeof words, 1, out);
    fclose(out);
}

TEST(elements_are_read_from_numpy_files)
{
    char error[512], wanted[512], given[64], expected[64];
    close(mkstemp(array));
    snprintf(given, sizeof given, "x:u32[2]:in:@%s", array);
    snprintf(expected, sizeof expected, "y=@%s", array);
    write_npy("{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }\n");
    json_t *kernel = KERNEL_OF(error, "--arg", given, "--arg", "y:u32[2]:out", "--expect", expected);
    if (kernel == NULL)
        fail_msg("%s", error);
    assert_json(json_array_get(json_object_get(kernel, "arguments"), 0),
                "{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"u32\", \"count\": 2, \"direction\": \"in\","
                "\"content\": \"data\", \"data\": \"AQAAAAIAAAA=\"}");
    assert_json(json_object_get(json_array_get(json_object_get(kernel, "arguments"), 1), "expected_data"),
                "\"AQAAAAIAAAA=\"");
    json_decref(kernel);
    static const struct {
        const char *dictionary, *error;
    } examples[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
         "has elements of fp32; those of the argument are u32"},
        {"{'descr': '>u4', 'fortran_order': False, 'shape': (2,), }",
         "has elements of the type '>u4'; allowed are little-endian integers and floats"},
        {"{'descr': '<u4', 'fortran_order': True, 'shape': (1, 2), }",
         "has its elements in the order of Fortran; save numpy.ascontiguousarray(ARRAY)"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        write_npy(examples[i].dictionary);
        assert_null(KERNEL_OF(error, "--arg", given));
        snprintf(wanted, sizeof wanted, "%s: %s", array, examples[i].error);
        assert_string_equal(error, wanted);
    }
    unlink(array);
}

TEST(other_arguments_are_refused)
{
    static const char *const bad[] = {"n",
                                      "n:i32",
                                      ":i32=1",
                                      "n:=1",
                                      "x:fp32[n",
                                      "x:fp32[n]out",
                                      "x:fp32[n]:",
                                      "x:[4]",
                                      "n:i32=1,,2",
                                      "n:i32=1,",
                                      "n:i32=,1",
                                      "x:fp32[n]:in:out",
                                      "x:fp32[n]:ramp:zero",
                                      "x:fp32[n]:1:2",
                                      "x:fp32[n]:ramp:2"};
    char error[512];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(KERNEL_OF(error, "--arg", bad[i]));
        assert_memory_equal(error, "--arg: '", 8);
    }
    assert_null(KERNEL_OF(error, "--grid", "1", "--reference-file", "/nonexistent"));
    assert_string_equal(error, "/nonexistent: cannot be read: No such file or directory");
    assert_null(KERNEL_OF(error, "--arg", "n:i32=5"));
    assert_string_equal(error,
                        "--grid: must be given: the kernel has no buffer from whose elements the blocks would follow");
}
