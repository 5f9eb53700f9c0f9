/* kernels/experiments/memory/constant_texture: the volume, how it is read, and what is predicted of it. */
#include "support/test.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "experiments/memory/constant_texture/constant_texture.h"

#include <string.h>

extern const struct lab_experiment lab_constant_texture;

/* The workload of the values of variant, pattern, angle and side. */
static struct lab_workload describe(const char *variant, const char *pattern, int64_t angle, int64_t side)
{
    struct lab_errors errors = {0};
    json_t *given = json_pack("{s:s, s:s}", "variant", variant, "pattern", pattern);
    struct lab_parameters *parameters = lab_parameters_parse(&lab_constant_texture, given, &errors);
    json_decref(given);
    assert_non_null(parameters);
    const struct lab_point point = {.values = {lab_parameter_values(parameters, "variant")->items[0].integer,
                                               lab_parameter_values(parameters, "pattern")->items[0].integer,
                                               LAB_NO_VALUE, LAB_NO_VALUE, angle, side}};
    struct lab_workload workload = {0};
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    lab_constant_texture.benchmark->describe(parameters, &facts, &point, &workload);
    lab_parameters_free(parameters);
    return workload;
}

TEST(a_cube_has_at_most_as_many_voxels_as_the_image_has_pixels)
{
    const struct lab_workload largest = describe("global", "volume", 0, 4096),
                              next = describe("global", "volume", 0, 2048);
    assert_int_equal(largest.buffers[0].bytes, 4 * 256 * 256 * 256);
    assert_int_equal(next.buffers[0].bytes, 4 * 128 * 128 * 128);
    assert_int_equal(largest.steps[0].launch.grid[0], 256 / CONSTANT_TEXTURE_BLOCK);
    assert_int_equal(largest.steps[0].launch.grid[2], 256);
    assert_non_null(strstr(describe("global", "volume", 0, 128).skipped, "less than a block"));
}

TEST(a_volume_in_an_array_is_a_texture_with_three_dimensions)
{
    const struct lab_workload cube = describe("texture-array", "volume", 0, 4096);
    const struct lab_workload image = describe("texture-array", "lines", 0, 4096);
    const uint32_t *extent = cube.steps[0].arguments[0].texture.extent;
    assert_string_equal(cube.steps[0].kernel, "constant_texture_array_volume");
    assert_int_equal(extent[0], 256);
    assert_int_equal(extent[1], 256);
    assert_int_equal(extent[2], 256);
    assert_int_equal(image.steps[0].arguments[0].texture.extent[2], 0);
    assert_int_equal(describe("texture-linear", "volume", 0, 4096).steps[0].arguments[0].texture.extent[0],
                     256 * 256 * 256);
}

TEST(a_line_is_a_row_of_the_cube_or_as_many_layers)
{
    const struct lab_workload row = describe("global", "volume", 0, 4096),
                              layers = describe("global", "volume", 90, 4096);
    assert_true(row.figures[0].value == 4);
    assert_true(layers.figures[0].value == 32);
}

/* Turned by 90 degrees, x becomes z, and y stays. */
TEST(a_cube_is_turned_about_its_second_axis)
{
    const uint64_t side = 8, quarter[] = {side, 0, 65536}, none[] = {side, 65536, 0};
    for (uint64_t i = 0; i < side * side * side; i++) {
        uint64_t x = i % side, y = i / side % side, z = i / side / side;
        uint64_t source = ((side - x) % side * side + y) * side + z;
        assert_int_equal(constant_texture_turned(i, 7, none), lab_pattern_word(i, 7));
        assert_int_equal(constant_texture_turned(i, 7, quarter), lab_pattern_word(source, 7));
    }
}
