/* fft: the exact transform of its input, and the launches of each step. */
#include "experiments/cases/fft/workload.h"
#include "support/test.h"

#include "experiments/cases/fft/fft.h"

#include <string.h>

/* --- the exact transform ------------------------------------------------------------------------------------------ */

/* Element (k, l) of the transform of number `index` of the batch by its definition, divided by the root of the number
 * of elements. */
static struct fft_complex direct_sum(struct fft_shape shape, uint64_t index, uint64_t k, uint64_t l, uint64_t seed)
{
    uint64_t n = shape.n, rows = shape.two_dimensional ? n : 1;
    double scale = 1 / sqrt((double)(n * rows));
    struct fft_complex sum = {0, 0};
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t column = 0; column < n; column++) {
            struct fft_complex x = fft_input(shape, index, row, column, seed);
            struct fft_complex w = fft_unit(-(double)((k * row + l * column) % n) / (double)n);
            sum.real += scale * (x.real * w.real - x.imaginary * w.imaginary);
            sum.imaginary += scale * (x.real * w.imaginary + x.imaginary * w.real);
        }
    return sum;
}

static void check_shape(struct fft_shape shape)
{
    uint64_t rows = shape.two_dimensional ? shape.n : 1;
    for (uint64_t index = 0; index < 3; index++)
        for (uint64_t k = 0; k < rows; k++)
            for (uint64_t l = 0; l < fft_result_width(shape); l++) {
                struct fft_complex sum = direct_sum(shape, index, k, l, 42);
                struct fft_complex expected = fft_expected(shape, index, k, l, 42);
                assert_true(fabs(sum.real - expected.real) < 1e-12);
                assert_true(fabs(sum.imaginary - expected.imaginary) < 1e-12);
            }
}

TEST(the_exact_transform_is_that_of_the_input)
{
    for (uint64_t n = 2; n <= 18; n++)
        for (int flags = 0; flags < 4; flags++)
            check_shape((struct fft_shape){.n = n, .two_dimensional = (flags & 1) != 0, .real = (flags & 2) != 0});
    check_shape((struct fft_shape){.n = 251});
}

TEST(an_error_of_one_element_is_found)
{
    enum { N = 16 };
    const struct fft_shape shape = {.n = N, .fp64 = true};
    double result[2 * N];
    for (uint64_t k = 0; k < N; k++) {
        struct fft_complex expected = fft_expected(shape, 0, 0, k, 7);
        result[2 * k] = sqrt(N) * expected.real;
        result[2 * k + 1] = sqrt(N) * expected.imaginary;
    }
    assert_true(fft_error(result, 5, shape, 7) < 1e-14);
    result[11] += 1e-6 * sqrt(N);
    assert_true(fabs(fft_error(result, 5, shape, 7) - 1e-6) < 1e-12);
    result[11] = NAN;
    assert_true(fft_error(result, 5, shape, 7) == DBL_MAX);
}

TEST(words_of_fp64_make_up_the_number)
{
    const uint64_t parameters[3] = {fft_pack((struct fft_shape){.n = 5, .fp64 = true})};
    for (uint64_t i = 0; i < 10; i++) {
        struct fft_complex element = fft_input((struct fft_shape){.n = 5}, 1, 0, i / 2, 3);
        uint32_t words[] = {fft_input_word(20 + 2 * i, 3, parameters), fft_input_word(20 + 2 * i + 1, 3, parameters)};
        double number;
        memcpy(&number, words, sizeof number);
        assert_true(number == (i % 2 == 0 ? element.real : element.imaginary));
    }
}

/* --- the launches ------------------------------------------------------------------------------------------------- */

static struct lab_workload workload_on(const char *backend, struct lab_point point)
{
    struct lab_device_facts device;
    struct lab_workload workload = {0};
    lab_facts_clear(&device);
    snprintf(device.backend, sizeof device.backend, "%s", backend);
    fft_describe(NULL, &device, &point, &workload);
    return workload;
}

static struct lab_point point_of(const char *name, int64_t n)
{
    const struct lab_choices steps = {&fft_steps[0].name, sizeof *fft_steps};
    int64_t step = (int64_t)lab_choice_find(steps, name);
    return (struct lab_point){{[FFT_DIMENSIONS] = 1, [FFT_N] = n, [FFT_BYTES] = 1 << 20, [FFT_STEP] = step}};
}

/* The product of the radices is n, and each pass reads what the one before has written; the last one writes the
 * output. */
static void check_passes(const char *step, int64_t n, size_t count)
{
    struct lab_workload workload = workload_on("cuda", point_of(step, n));
    uint64_t stride = 1;
    size_t from = 0;
    assert_int_equal(workload.step_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct lab_workload_step *pass = &workload.steps[i];
        assert_int_equal(pass->arguments[0].buffer, from);
        assert_int_equal(pass->arguments[3].value.u32, stride);
        assert_true(pass->arguments[1].buffer != from);
        from = pass->arguments[1].buffer;
        stride *= (uint64_t)(pass->kernel[strlen("fft_radix_")] - '0');
    }
    assert_int_equal(stride, n);
    assert_int_equal(from, workload.check.buffer);
}

TEST(passes_have_the_product_of_radices_n)
{
    check_passes("radix-2", 2, 1);
    check_passes("radix-2", 4096, 12);
    check_passes("radix-2", 16777216, 24);
    check_passes("radix-8", 2, 1);
    check_passes("radix-8", 256, 3);
    check_passes("radix-8", 4096, 4);
}

TEST(a_block_of_stockham_holds_4096_elements)
{
    for (int64_t n = 16; n <= 4096; n *= 4) {
        struct lab_workload workload = workload_on("cuda", point_of("stockham", n));
        assert_int_equal(workload.steps[0].launch.grid[0], (1 << 20) / 8 / 4096);
        assert_int_equal(workload.steps[0].launch.shared_bytes, 8 * (4096 + 256));
    }
}

TEST(work_in_place_has_one_array_and_few_repetitions)
{
    struct lab_point point = point_of("stockham", 4096);
    point.values[FFT_IN_PLACE] = 1;
    struct lab_workload workload = workload_on("cuda", point);
    assert_int_equal(workload.buffer_count, 1);
    assert_true(workload.buffers[0].output && workload.buffers[0].fill != NULL);
    assert_int_equal(workload.repetitions_in_place, 16); /* of 2^6 each: below 2^100 */
    assert_int_equal(workload_on("cuda", point_of("stockham", 4096)).repetitions_in_place, 0);
}

static void expect_refusal(const char *backend, struct lab_point point, const char *reason)
{
    assert_non_null(strstr(workload_on(backend, point).skipped, reason));
}

TEST(impossible_points_are_skipped_with_a_reason)
{
    struct lab_point real = point_of("stockham", 256), in_place = point_of("radix-2", 256);
    real.values[FFT_KIND] = FFT_REAL;
    in_place.values[FFT_IN_PLACE] = 1;
    expect_refusal("cuda", real, "complex numbers in one dimension");
    expect_refusal("cuda", in_place, "second array");
    expect_refusal("cuda", point_of("radix-8", 12), "power of two");
    expect_refusal("cuda", point_of("stockham", 8192), "16 to 4096");
    expect_refusal("cuda", point_of("dft", 2048), "1024");
    expect_refusal("cuda", point_of("mixed-radix", 16), "only host devices");
    expect_refusal("host", point_of("stockham", 256), "host devices have");
    assert_string_equal(workload_on("host", point_of("mixed-radix", 251)).skipped, "");
}

TEST(real_transforms_count_half)
{
    struct lab_point real = point_of("library", 1024);
    double operations = workload_on("cuda", real).counts[LAB_COUNT_OPERATIONS];
    assert_true(operations == (1 << 20) / 8 * 5.0 * 10);
    real.values[FFT_KIND] = FFT_REAL;
    assert_true(workload_on("cuda", real).counts[LAB_COUNT_OPERATIONS] == operations); /* twice as many transforms */
}
