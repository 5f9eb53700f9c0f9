/* The plans of the host runtime that fill inputs, compute the exact product and compare a result with it. */
#include "support/gemm_harness.h"
#include "support/test.h"

#include <math.h>

AROUND_EACH_TEST(.setup = open_one, .teardown = close_one)

TEST_WITH(test_fill, struct lab_device *device)
{
    enum { ROWS = 173, COLUMNS = 239, SEED = 5, BYTES = ROWS * COLUMNS * 8 };
    struct product p = {.device = device, .stream = runtime->stream_create(device)};
    unsigned char *matrix = allocate(device, LAB_MEMORY_DEVICE, BYTES + GUARD);
    for (size_t variant = 0; variant < COUNT(types) * 2 * 2; variant++) {
        p.type = types[variant % 2];
        enum lab_gemm_content content = variant / 2 % 2 == 0 ? LAB_GEMM_NORMAL : LAB_GEMM_SMALL_INTS;
        bool column_major = variant / 4 == 1;
        size_t bytes = ROWS * COLUMNS * lab_gemm_element_bytes(p.type);
        memset(matrix, 0xAA, BYTES + GUARD);
        fill_matrix(&p, (struct lab_gemm_fill){p.type, content, ROWS, COLUMNS, column_major, SEED, matrix});
        for (size_t r = 0; r < ROWS; r++)
            for (size_t c = 0; c < COLUMNS; c++) {
                double wanted = content == LAB_GEMM_NORMAL ? (double)lab_pattern_normal(r * COLUMNS + c, SEED)
                                                           : (double)lab_pattern_small_int(r * COLUMNS + c, SEED);
                assert_true(element_of(&p, matrix, column_major ? c * ROWS + r : r * COLUMNS + c) == wanted);
            }
        assert_int_equal(matrix[bytes], 0xAA);
        fill_matrix(&p, (struct lab_gemm_fill){p.type, LAB_GEMM_POISON, ROWS, COLUMNS, column_major, SEED, matrix});
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(matrix[i], 0xFF);
        assert_int_equal(matrix[bytes], 0xAA);
    }
    runtime->stream_free(device, p.stream);
    runtime->free(device, LAB_MEMORY_DEVICE, matrix);
}

TEST_WITH(test_expected_equals_a_plain_loop, struct lab_device *device)
{
    for (size_t s = 0; s < COUNT(shapes); s++) {
        const struct shape shape = shapes[s];
        struct product p = open_product(device, shape, LAB_GEMM_FP32, LAB_GEMM_NN);
        for (size_t i = 0; i < shape.m; i++)
            for (size_t j = 0; j < shape.n; j++) {
                int32_t sum = 0;
                for (size_t q = 0; q < shape.k; q++)
                    sum +=
                        lab_pattern_small_int(i * shape.k + q, SEED_A) * lab_pattern_small_int(q * shape.n + j, SEED_B);
                assert_int_equal(p.expected[i * shape.n + j], sum);
            }
        close_product(&p);
    }
}

static void set(const struct product *p, size_t i, double value)
{
    if (p->type == LAB_GEMM_FP64)
        ((double *)c_of(p))[i] = value;
    else
        ((float *)c_of(p))[i] = (float)value;
}

TEST_WITH(test_compare_counts_planted_errors, struct lab_device *device)
{
    for (size_t t = 0; t < COUNT(types); t++) {
        struct product p = open_product(device, (struct shape){301, 203, 1}, types[t], LAB_GEMM_NN);
        size_t count = p.shape.m * p.shape.n;
        assert_int_equal(wrong_elements(&p, p.expected), count); /* c holds only poison */
        assert_int_equal(wrong_elements(&p, NULL), count);
        for (size_t i = 0; i < count; i++)
            set(&p, i, p.expected[i]);
        assert_int_equal(wrong_elements(&p, p.expected), 0);
        set(&p, 0, nextafterf((float)p.expected[0], 100.0f));
        set(&p, count / 2, (double)NAN);
        set(&p, count / 3, p.expected[count / 3] + 1);
        set(&p, count - 1, (double)INFINITY);
        assert_int_equal(wrong_elements(&p, p.expected), 4);
        assert_int_equal(wrong_elements(&p, NULL), 2);
        close_product(&p);
    }
}

TEST_WITH(test_a_comparison_can_be_enqueued_again, struct lab_device *device)
{
    struct product p = open_product(device, (struct shape){301, 203, 1}, LAB_GEMM_FP32, LAB_GEMM_NN);
    size_t count = p.shape.m * p.shape.n;
    uint64_t wrong = 0;
    const struct lab_gemm_compare what = {p.type, count, c_of(&p), p.expected, &wrong};
    struct lab_plan *plan = runtime->gemm->prepare_compare(p.device, &what);
    succeed(p.device, plan != NULL);
    for (size_t right = 0; right < 3; right++) {
        succeed(p.device, runtime->enqueue(p.device, plan, p.stream));
        succeed(p.device, runtime->stream_synchronize(p.device, p.stream));
        assert_int_equal(wrong, count - right);
        set(&p, right, p.expected[right]);
    }
    runtime->plan_free(p.device, plan);
    close_product(&p);
}

/* For an integer that a float cannot represent, the nearest float is correct; if two are equally near, the even one. */
TEST_WITH(test_compare_rounds_the_product, struct lab_device *device)
{
    static const int32_t product[] = {(1 << 24) + 1, (1 << 24) + 3, (1 << 25) + 3, -((1 << 24) + 1), INT32_MAX};
    static const double rounded[] = {1 << 24, (1 << 24) + 4, (1 << 25) + 4, -(1 << 24), 2147483648.0};
    for (size_t t = 0; t < COUNT(types); t++) {
        struct product p = open_product(device, (struct shape){1, COUNT(product), 1}, types[t], LAB_GEMM_NN);
        memcpy(p.expected, product, sizeof product);
        for (size_t i = 0; i < COUNT(product); i++)
            set(&p, i, rounded[i]);
        assert_int_equal(wrong_elements(&p, p.expected), types[t] == LAB_GEMM_FP32 ? 0 : COUNT(product));
        for (size_t i = 0; i < COUNT(product); i++)
            set(&p, i, product[i]);
        assert_int_equal(wrong_elements(&p, p.expected), 0);
        close_product(&p);
    }
}

/* C is the exact product, in which errors are planted at stored elements that are sampled and at one that is not. */
TEST_WITH(test_samples_are_compared_with_double, struct lab_device *device)
{
    enum { STRIDE = 7 };
    for (size_t variant = 0; variant < COUNT(types) * LAB_GEMM_LAYOUTS; variant++) {
        enum lab_gemm_layout layout = (enum lab_gemm_layout)(variant / COUNT(types));
        struct product p = open_product(device, (struct shape){29, 37, 1000}, types[variant % COUNT(types)], layout);
        size_t count = p.shape.m * p.shape.n;
        uint64_t wrong = UINT64_MAX;
        const struct lab_gemm gemm = {p.type, layout, p.shape.m, p.shape.n, p.shape.k, p.a, p.b, c_of(&p)};
        const struct lab_gemm_sample what = {gemm, STRIDE, &wrong};
        for (size_t i = 0; i < count; i++)
            set(&p, i, p.expected[i]);
        run_plan(p.device, p.stream, runtime->gemm->prepare_sample(p.device, &what));
        assert_int_equal(wrong, 0);
        set(&p, 0, p.expected[0] + 1);
        set(&p, 3 * STRIDE, p.expected[3 * STRIDE] - 1);
        set(&p, (count - 1) / STRIDE * STRIDE, p.expected[(count - 1) / STRIDE * STRIDE] + 1);
        set(&p, STRIDE, (double)NAN); /* is counted by comparing all elements */
        set(&p, STRIDE + 1, -1000);
        run_plan(p.device, p.stream, runtime->gemm->prepare_sample(p.device, &what));
        assert_int_equal(wrong, 3);
        close_product(&p);
    }
}

TEST_WITH(test_invalid_samples_are_refused, struct lab_device *device)
{
    struct product p = open_product(device, (struct shape){8, 8, 8}, LAB_GEMM_FP32, LAB_GEMM_NN);
    uint64_t wrong;
    const struct lab_gemm gemm = {p.type, p.layout, 8, 8, 8, p.a, p.b, c_of(&p)};
    assert_null(runtime->gemm->prepare_sample(p.device, &(struct lab_gemm_sample){gemm, 0, &wrong}));
    assert_int_equal(p.device->error.code, LAB_ERROR_INVALID_ARGUMENT);
    assert_null(runtime->gemm->prepare_sample(p.device, &(struct lab_gemm_sample){gemm, 1, NULL}));
    assert_int_equal(p.device->error.code, LAB_ERROR_INVALID_ARGUMENT);
    close_product(&p);
}
