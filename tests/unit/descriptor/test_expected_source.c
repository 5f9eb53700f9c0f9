/* kernels/descriptor/expected_source.c: the kernel that computes what the outputs of an own kernel must be. tests/api
 * has it compiled. */
#include "descriptor/expected_source.h"
#include "support/test.h"

#include <string.h>

static json_t *source_of(const char *arguments)
{
    json_t *kernel = json_pack("{s:o}", "arguments", json_loads(arguments, 0, NULL));
    json_t *source = lab_expected_source(kernel);
    json_decref(kernel);
    return source;
}

#define X "{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"bf16\", \"count\": 4}"
#define A "{\"name\": \"a\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": 4}"
#define Y                                                                                                              \
    "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": 4, \"direction\": \"out\", \"expected\": \"a * x[i]\"}"

TEST(arguments_have_their_names_and_types_and_outputs_their_counts)
{
    json_t *source = source_of("[" X ", " A ", " Y "]");
    assert_string_equal(
        json_string_value(source),
        "#include \"experiments/kernel/expected.cuh\"\n"
        "extern \"C\" __global__ void lab_expected(void *lab_0, kernel_bits<6> lab_1, void *lab_2, "
        "uint64_t lab_count_2)\n"
        "{\n"
        "    const auto x = kernel_elements<1>{lab_0};\n"
        "    const auto a = kernel_elements<6>{&lab_1}[0];\n"
        "    const auto y = kernel_elements<2>{lab_2};\n"
        "    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (int64_t)lab_count_2;\n"
        "         i += (int64_t)gridDim.x * blockDim.x)\n"
        "        kernel_put<2>(lab_2, i,\n"
        "#line 1 \"expected of y\"\n"
        "a * x[i]\n"
        "        );\n"
        "}\n");
    json_decref(source);
}

TEST(textures_and_tables_are_elements)
{
    json_t *source = source_of(
        "[{\"name\": \"image\", \"kind\": \"texture\", \"type\": \"fp16\", \"extent\": [4, 4]},"
        " {\"name\": \"t\", \"kind\": \"table\", \"type\": \"fp64\", \"buffers\": 2, \"count\": 4}, " Y "]");
    const char *text = json_string_value(source);
    assert_non_null(
        strstr(text, "(void *lab_0, void *lab_1, void *lab_2, uint64_t lab_count_2, uint64_t lab_each_1)\n"));
    assert_non_null(strstr(text, "const auto image = kernel_elements<0>{lab_0};\n"));
    assert_non_null(strstr(text, "const auto t = kernel_table<3>{lab_1, lab_each_1};\n"));
    json_decref(source);
}

TEST(structures_are_declared_with_their_fields)
{
    json_t *source = source_of(
        "[{\"name\": \"p\", \"kind\": \"struct\", \"align\": 8, \"fields\": [{\"name\": \"n\", \"type\": \"i32\", \"value\": 1}, "
        "{\"name\": \"a\", \"type\": \"fp32\", \"value\": 2}]}, " Y "]");
    const char *text = json_string_value(source);
    assert_non_null(strstr(
        text,
        "struct lab_struct_0 {\n    alignas(kernel_bits<6>) alignas(8) kernel_bits<6> n;\n    kernel_bits<2> a;\n};\n"));
    assert_non_null(strstr(text, "lab_expected(lab_struct_0 lab_0, void *lab_1, uint64_t lab_count_1)\n"));
    assert_non_null(strstr(text,
                           "    const struct { kernel_number<6>::number n; kernel_number<2>::number a; } p = "
                           "{kernel_elements<6>{&lab_0.n}[0], kernel_elements<2>{&lab_0.a}[0]};\n"));
    json_decref(source);
}

TEST(without_an_expression_there_is_no_kernel)
{
    assert_null(source_of("[" X ", " A "]"));
    assert_null(source_of("[]"));
}
