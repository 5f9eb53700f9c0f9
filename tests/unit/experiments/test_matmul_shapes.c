/* kernels/experiments/matmul/shapes.c: the sizes of a request; thin and deep products by every step of the host,
 * compared with the exact product; the roof of a shape.
 */
#include "descriptor/points.h"
#include "experiments/matmul/product.h"
#include "support/one_host_device.h"
#include "support/plan_harness.h"
#include "support/test.h"

#include <math.h>

AROUND_EACH_TEST(.setup = start_runtime, .teardown = stop_runtime)

/* --- the shapes of a request -------------------------------------------------------------------------------------- */

struct shape {
    int64_t m, n, k;
};

#define ONE_STEP "\"step\": \"naive\", \"type\": \"fp32\""

/* Expects that these are the products of the request, in this order. */
static void expect_shapes(const char *request, const struct shape *expected, size_t count)
{
    struct lab_device_facts device;
    const struct lab_device_facts *devices = &device;
    struct lab_errors errors = {0};
    struct lab_points points;
    size_t products = 0;
    lab_facts_clear(&device);
    struct lab_parameters *parameters = parse("matmul", request);
    assert_true(lab_points_init(&points, parameters, &devices, 1, &errors));
    for (size_t i = 0; i < points.count; i++) {
        const int64_t *values = points.items[i].values;
        if (values[MATMUL_VARIANT] != LAB_NO_VALUE)
            continue;
        assert_true(products < count);
        assert_int_equal(values[MATMUL_M], expected[products].m);
        assert_int_equal(values[MATMUL_N], expected[products].n);
        assert_int_equal(values[MATMUL_K], expected[products].k);
        products++;
    }
    assert_int_equal(products, count);
    lab_points_release(&points);
    lab_parameters_free(parameters);
}

#define EXPECT_SHAPES(request, ...)                                                                                    \
    do {                                                                                                               \
        static const struct shape expected_[] = {__VA_ARGS__};                                                         \
        expect_shapes(request, expected_, sizeof expected_ / sizeof *expected_);                                       \
    } while (0)

TEST(squares_are_swept_by_default)
{
    EXPECT_SHAPES("{" ONE_STEP "}", {256, 256, 256}, {1024, 1024, 1024}, {4096, 4096, 4096});
    EXPECT_SHAPES("{" ONE_STEP ", \"m\": 0, \"n\": 0, \"k\": 0, \"max_size\": 256}", {256, 256, 256});
    EXPECT_SHAPES("{" ONE_STEP ", \"m\": 100, \"n\": 100, \"k\": 100}", {100, 100, 100});
}

TEST(all_combinations_of_the_lists_are_measured)
{
    EXPECT_SHAPES("{" ONE_STEP ", \"m\": [1, 16], \"n\": [64], \"k\": [7, 9]}", {1, 64, 7}, {1, 64, 9}, {16, 64, 7},
                  {16, 64, 9});
    EXPECT_SHAPES("{" ONE_STEP ", \"m\": [1, 16], \"min_size\": 256, \"max_size\": 512}", {1, 256, 256}, {1, 512, 512},
                  {16, 256, 256}, {16, 512, 512});
    EXPECT_SHAPES("{" ONE_STEP ", \"k\": [64, 4096], \"min_size\": 8, \"max_size\": 32}", {8, 8, 64}, {8, 8, 4096},
                  {32, 32, 64}, {32, 32, 4096});
    EXPECT_SHAPES("{" ONE_STEP ", \"n\": 1, \"min_size\": 8, \"max_size\": 32}", {8, 1, 8}, {32, 1, 32});
    EXPECT_SHAPES("{" ONE_STEP ", \"m\": 5, \"n\": 3, \"max_size\": 256}", {5, 3, 256});
}

/* 64 is a size of the sweep and a value of the list. */
TEST(a_shape_is_measured_once)
{
    EXPECT_SHAPES("{" ONE_STEP ", \"m\": [0, 64], \"min_size\": 64, \"max_size\": 256}", {64, 64, 64}, {64, 256, 256},
                  {256, 256, 256});
    EXPECT_SHAPES("{" ONE_STEP ", \"m\": [64, 0], \"n\": [64, 0], \"k\": [64, 0], \"min_size\": 64, \"max_size\": 64}",
                  {64, 64, 64});
    EXPECT_SHAPES("{" ONE_STEP ", \"n\": [9, 0], \"k\": [9, 0], \"max_size\": 256}", {256, 9, 9}, {256, 9, 256},
                  {256, 256, 9}, {256, 256, 256});
}

TEST(a_refused_request_names_the_parameter_to_change)
{
    expect_refusal("matmul", "{\"m\": 65536, \"n\": [1, 65536], \"k\": 1}", "exceeds-memory", "/parameters/m");
    expect_refusal("matmul", "{\"m\": 1, \"k\": [64, 65536], \"max_size\": 16384}", "exceeds-memory", "/parameters/k");
    expect_refusal("matmul", "{\"m\": 1, \"max_size\": 65536}", "exceeds-memory", "/parameters/max_size");
    expect_refusal("matmul", "{\"m\": [0, 5], \"min_size\": 512, \"max_size\": 256}", "min-above-max",
                   "/parameters/min_size");
    /* without a sweep its sizes do not count */
    assert_true(
        plan_within("matmul", "{\"m\": 5, \"n\": 5, \"k\": 5, \"min_size\": 512, \"max_size\": 256}", PLAN_MEMORY)
            .good);
    struct plan plan = plan_within("matmul", "{\"min_size\": 1, \"factor\": 1.01, \"m\": [1, 2, 3, 4]}", PLAN_MEMORY);
    assert_int_equal(plan.errors.items[0].code, LAB_ERROR_TOO_MANY_POINTS);
    assert_non_null(strstr(plan.errors.items[0].detail, "more than 10000 points"));
}

/* --- results ------------------------------------------------------------------------------------------------------ */

struct fixture {
    struct lab_run run;
    struct lab_parameters *parameters;
    struct matmul_product product;
    atomic_bool cancel;
};

static void open_fixture(struct fixture *f)
{
    struct lab_error error;
    *f = (struct fixture){.parameters = parse("matmul", "{}")};
    f->run = (struct lab_run){.parameters = f->parameters, .device_count = 1, .cancel = &f->cancel};
    f->run.devices[0] = lab_host_runtime.open(0, &error);
    assert_non_null(f->run.devices[0]);
    assert_true(matmul_product_open(&f->product, &f->run, f->run.devices[0]));
}

static void close_fixture(struct fixture *f)
{
    matmul_product_close(&f->product);
    lab_host_runtime.close(f->run.devices[0]);
    lab_parameters_free(f->parameters);
}

/* Computes the product with normally distributed numbers, then with integers, and expects both results to be right. */
static void expect_right(struct fixture *f, const struct matmul_problem *problem, const struct matmul_step *step)
{
    struct lab_device *device = f->run.devices[0];
    struct lab_work work;
    if (!matmul_product_prepare(&f->product, step, &work)) {
        assert_string_equal(device->error.detail, "OpenBLAS is not installed");
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        uint64_t wrong = 0;
        assert_true(work.poison(work.context) && work.enqueue(work.context));
        assert_true(lab_host_runtime.stream_synchronize(device, f->product.stream));
        assert_true(work.verify(work.context, &wrong));
        if (wrong != 0)
            fail_msg("%s, %s %s, %zu x %zu x %zu, pass %d: %llu elements wrong", step->name,
                     matmul_types[problem->type], matmul_layouts[problem->layout], problem->m, problem->n, problem->k,
                     pass, (unsigned long long)wrong);
    }
    matmul_product_end(&f->product);
}

static void expect_all_steps_right(struct fixture *f, size_t m, size_t n, size_t k)
{
    for (int type = 0; type < LAB_GEMM_TYPES; type++)
        for (int layout = 0; layout < LAB_GEMM_LAYOUTS; layout++) {
            struct matmul_problem problem = {(enum lab_gemm_type)type, (enum lab_gemm_layout)layout, m, n, k};
            if (!matmul_has(&f->run.devices[0]->facts, &matmul_steps[0], problem.type))
                continue;
            assert_true(matmul_product_set(&f->product, &problem));
            for (const struct matmul_step *step = matmul_steps; step < matmul_steps + MATMUL_STEPS; step++)
                if (matmul_has(&f->run.devices[0]->facts, step, problem.type))
                    expect_right(f, &problem, step);
        }
}

TEST(every_step_is_right_for_thin_shapes)
{
    static const size_t sides[] = {1, 16, 64, 100};
    enum { SIDES = sizeof sides / sizeof *sides };
    struct fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < SIDES * SIDES * SIDES; i++)
        expect_all_steps_right(&f, sides[i / SIDES / SIDES], sides[i / SIDES % SIDES], sides[i % SIDES]);
    close_fixture(&f);
}

TEST(every_step_is_right_for_deep_and_long_shapes)
{
    static const size_t shapes[][3] = {{1, 1, 65536}, {16, 3, 65536}, {65536, 1, 2},
                                       {1, 65536, 1}, {2, 4099, 100}, {100, 1, 5000}};
    struct fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        expect_all_steps_right(&f, shapes[i][0], shapes[i][1], shapes[i][2]);
    close_fixture(&f);
}

/* --- the roof of a shape ------------------------------------------------------------------------------------------ */

/* 1000 x 1000 x 1000 in fp32: 2e9 operations on 12e6 bytes, 166.7 FLOP/B; one row: 2e6 on 4.008e6. */
TEST(the_roof_is_the_smaller_of_both_limits)
{
    struct lab_device_facts device;
    const struct lab_peak peak = {60000, "fp32 cores"}, unknown = {NAN, ""};
    struct matmul_problem problem = {.type = LAB_GEMM_FP32, .m = 1000, .n = 1000, .k = 1000};
    lab_facts_clear(&device);
    assert_true(isnan(matmul_roof(&device, &problem, &peak).value));
    device.memory_peak_bytes_per_s = 4e12;
    assert_true(isnan(matmul_roof(&device, &problem, &unknown).value));
    assert_true(matmul_roof(&device, &problem, &peak).value == 60000);
    assert_string_equal(matmul_roof(&device, &problem, &peak).what, "fp32 cores");
    problem.m = 1;
    struct lab_peak roof = matmul_roof(&device, &problem, &peak);
    assert_true(fabs(roof.value / (4000 * 2e6 / 4.008e6) - 1) < 1e-12);
    assert_string_equal(roof.what, "device memory at this arithmetic intensity");
}

static size_t shares;

static void on_measurement(void *context, const struct lab_measurement *measurement)
{
    double *throughput = context;
    if (strcmp(measurement->metric, "throughput") == 0)
        *throughput = measurement->summary.median;
    if (strcmp(measurement->metric, "share_of_roof") != 0)
        return;
    shares++;
    assert_string_equal(measurement->peak->what, "device memory at this arithmetic intensity");
    assert_true(measurement->sample_count == 3);
    assert_true(fabs(measurement->summary.median * measurement->peak->value / *throughput - 1) < 1e-9);
}

static void ignore_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context, (void)done, (void)total, (void)label;
}

static void ignore_text(void *context, const char *text)
{
    (void)context, (void)text;
}

/* The share is reported with the peak that limits the shape, if both peaks are known. */
TEST(a_run_reports_the_share_of_the_roof)
{
    for (int known = 0; known < 2; known++) {
        struct lab_error error;
        atomic_bool cancel = false;
        double throughput = NAN;
        struct lab_parameters *parameters =
            parse("matmul", "{" ONE_STEP
                            ", \"m\": 1, \"n\": 64, \"k\": 64, \"min_samples\": 3, \"max_samples\": 3, "
                            "\"sample_s\": 0, \"settle_s\": 0, \"time_budget_s\": 600}");
        struct lab_run run = {.experiment = parameters->experiment,
                              .parameters = parameters,
                              .device_count = 1,
                              .devices = {lab_host_runtime.open(0, &error)},
                              .sink = {.context = &throughput,
                                       .measurement = on_measurement,
                                       .progress = ignore_progress,
                                       .warning = ignore_text},
                              .cancel = &cancel};
        struct lab_device_facts *facts = &run.devices[0]->facts;
        facts->l2_bytes = LAB_UNKNOWN; /* for small arrays */
        facts->total_memory_bytes = INT64_C(1) << 29;
        facts->fp32_peak_flops = 1e15;
        facts->memory_peak_bytes_per_s = known ? 1e13 : NAN;
        shares = 0;
        if (!run.experiment->run(&run))
            fail_msg("%s", run.error.detail);
        assert_int_equal(shares, known);
        lab_host_runtime.close(run.devices[0]);
        lab_parameters_free(parameters);
    }
}
