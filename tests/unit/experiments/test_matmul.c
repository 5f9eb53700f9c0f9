/* kernels/experiments/matmul: the points of a request, refused requests, counted operations and bytes, and detection of
 * wrong results.
 */
#include "descriptor/points.h"
#include "descriptor/source.h"
#include "experiments/matmul/ceilings.h"
#include "experiments/matmul/product.h"
#include "host/plan.h"
#include "support/one_host_device.h"
#include "support/plan_harness.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

AROUND_EACH_TEST(.setup = start_runtime, .teardown = stop_runtime)

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* Memory is read, written and copied; each type has a ceiling, here of cores. */
enum { MEMORY_CEILINGS = 3 };

TEST(points_combine_step_size_type_and_layout)
{
    expect_points("matmul",
                  "{\"step\": [\"naive\", \"cublas\"], \"type\": [\"fp32\", \"fp64\"], \"layout\": [\"nn\", \"tn\"]}",
                  MEMORY_CEILINGS + 2 + 2 * 2 * 2 * 3);
    expect_points("matmul",
                  "{\"step\": \"naive\", \"type\": \"fp32\", \"min_size\": 64, \"max_size\": 16384, \"factor\": 2}",
                  MEMORY_CEILINGS + 1 + 9);
    expect_points("matmul", "{\"step\": \"naive\", \"type\": \"fp32\", \"m\": 100, \"n\": 10, \"k\": 1}",
                  MEMORY_CEILINGS + 1 + 1);
    /* 1, 2, 3: a small factor still advances by one */
    expect_points("matmul",
                  "{\"step\": \"naive\", \"type\": \"fp32\", \"min_size\": 1, \"max_size\": 3, \"factor\": 1.01}",
                  MEMORY_CEILINGS + 1 + 3);
    /* all: the kernels that the backend has for each type, here ten of CUDA for fp32 and three for bf16 */
    expect_points("matmul", "{\"type\": [\"fp32\", \"bf16\"], \"max_size\": 256}", MEMORY_CEILINGS + 2 + 10 + 3);
}

static struct lab_point point_at(const struct lab_points *points, size_t index)
{
    assert_true(index < points->count);
    return points->items[index];
}

/* The points of a request on a device; the caller frees them. */
static struct lab_points points_on(const struct lab_device_facts *device, const char *request)
{
    struct lab_errors errors = {0};
    struct lab_points points;
    struct lab_parameters *parameters = parse("matmul", request);
    assert_true(lab_points_init(&points, parameters, &device, 1, &errors));
    lab_parameters_free(parameters);
    return points;
}

TEST(the_reference_of_each_backend_comes_first)
{
    struct lab_device_facts device;
    lab_facts_clear(&device);
    const struct {
        const char *backend, *reference;
    } cases[] = {{"cuda", "cublas"}, {"host", "openblas"}};
    for (size_t i = 0; i < 2; i++) {
        snprintf(device.backend, sizeof device.backend, "%s", cases[i].backend);
        struct lab_points points = points_on(&device, "{\"type\": \"fp32\", \"max_size\": 256}");
        assert_string_equal(matmul_steps[point_at(&points, 0).values[MATMUL_STEP]].name, cases[i].reference);
        assert_string_equal(matmul_steps[point_at(&points, 1).values[MATMUL_STEP]].name, "naive");
        lab_points_release(&points);
    }
}

/* fp64 has a ceiling of its cores, and one of the tensor cores where the device has them for fp64. */
TEST(fp64_has_the_ceilings_of_both_units)
{
    struct lab_device_facts device;
    lab_facts_clear(&device);
    device.tensor_fp64_peak_flops = 67e12;
    struct lab_points points = points_on(&device, "{\"type\": \"fp64\", \"step\": \"naive\", \"max_size\": 256}");
    assert_int_equal(points.count, MEMORY_CEILINGS + 2 + 1);
    assert_int_equal(points.items[1 + MEMORY_CEILINGS].values[MATMUL_VARIANT], MATMUL_CORES);
    assert_int_equal(points.items[1 + MEMORY_CEILINGS + 1].values[MATMUL_VARIANT], MATMUL_TENSOR_CORES);
    lab_points_release(&points);
    device.fp64_peak_flops = 34e12;
    assert_string_equal(matmul_peak(&device, false, LAB_GEMM_FP64).what, "fp64 cores");
    assert_string_equal(matmul_peak(&device, true, LAB_GEMM_FP64).what, "fp64 tensor cores");
    assert_false(matmul_on_tensor_cores(&device, matmul_step_find("naive"), LAB_GEMM_FP64));
    assert_true(matmul_on_tensor_cores(&device, matmul_step_find("cublas"), LAB_GEMM_FP64));
    assert_false(matmul_on_tensor_cores(&device, matmul_step_find("cublas"), LAB_GEMM_FP32));
    assert_true(matmul_on_tensor_cores(&device, matmul_step_find("mma"), LAB_GEMM_TF32));
}

TEST(memory_counts_the_matrices_and_the_exact_product)
{
    const char *const request = "{\"step\": \"%s\", \"type\": \"fp64\", \"m\": 6000, \"n\": 1000, \"k\": 3000}";
    uint64_t matrices = 8 * (6000 * 3000 + 3000 * 1000 + 6000 * 1000) + 4 * 6000 * 1000;
    char text[128];
    snprintf(text, sizeof text, request, "naive");
    struct plan plan = plan_within("matmul", text, PLAN_MEMORY);
    assert_true(plan.good);
    assert_int_equal(plan.estimate.device_bytes, matrices);
    snprintf(text, sizeof text, request, "cublas"); /* the baseline of other steps has a result of its own */
    plan = plan_within("matmul", text, PLAN_MEMORY);
    assert_int_equal(plan.estimate.device_bytes, matrices + 8 * 6000 * 1000);
}

/* GPUs are measured with arrays of 4 GiB where they have the memory, other devices with twice the cache, but at most a
 * quarter of their memory. */
TEST(memory_ceilings_use_large_arrays)
{
    struct lab_device_facts device;
    lab_facts_clear(&device);
    assert_int_equal(matmul_ceiling_bytes(&device), 64 << 20);
    device.l2_bytes = 50 << 20;
    device.total_memory_bytes = INT64_C(140) << 30;
    assert_int_equal(matmul_ceiling_bytes(&device), 64 << 20);
    device.l2_bytes = 100 << 20;
    assert_int_equal(matmul_ceiling_bytes(&device), 192 << 20);
    device.memory_peak_bytes_per_s = 4.8e12;
    assert_int_equal(matmul_ceiling_bytes(&device), INT64_C(4) << 30);
    device.total_memory_bytes = INT64_C(8) << 30;
    assert_int_equal(matmul_ceiling_bytes(&device), INT64_C(1) << 30);
    device.memory_peak_bytes_per_s = NAN;
    device.l2_bytes = INT64_C(480) << 20;
    device.total_memory_bytes = INT64_C(1) << 30;
    assert_int_equal(matmul_ceiling_bytes(&device), 256 << 20); /* two arrays fit beside other memory */
}

TEST(invalid_requests_are_refused_with_a_pointer)
{
    expect_refusal("matmul", "{\"min_size\": 512, \"max_size\": 256}", "min-above-max", "/parameters/min_size");
    expect_refusal("matmul", "{\"max_size\": 16384}", "exceeds-memory", "/parameters/max_size");
    expect_refusal("matmul", "{\"m\": 65536, \"n\": 65536, \"k\": 1}", "exceeds-memory", "/parameters/m");
    expect_refusal("matmul",
                   "{\"min_size\": 1, \"max_size\": 2000, \"factor\": 1.01, \"step\": \"all\","
                   " \"type\": [\"fp32\", \"fp64\", \"tf32\", \"bf16\", \"fp16\"], \"layout\": [\"nn\", \"tn\"]}",
                   "too-many-points", "/parameters");
}

TEST(operations_and_bytes_are_counted_as_the_formulas_say)
{
    struct matmul_problem problem = {.type = LAB_GEMM_BF16, .m = 10, .n = 20, .k = 30};
    assert_true(matmul_operations(&problem) == 12000);
    assert_true(matmul_bytes(&problem) == 2 * (300 + 600 + 200));
    problem.type = LAB_GEMM_FP8; /* the result is bf16 */
    assert_true(matmul_bytes(&problem) == 300 + 600 + 2 * 200);
}

/* The CPU checks all elements of a small product, and elements in all columns and many rows of a large one. */
TEST(elements_checked_by_the_cpu_cover_all_columns)
{
    static const size_t sizes[][3] = {{64, 64, 64},       {1024, 1024, 1024}, {4096, 4096, 4096}, {8192, 8192, 8192},
                                      {16384, 64, 16384}, {50000, 64, 4096},  {64, 50000, 4096}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct matmul_problem problem = {.m = sizes[s][0], .n = sizes[s][1], .k = sizes[s][2]};
        size_t stride = matmul_checked_stride(&problem), count = problem.m * problem.n, columns = 0, checked = 0;
        bool *seen = calloc(problem.n, sizeof *seen);
        for (size_t i = 0; i < count; i += stride, checked++) {
            columns += !seen[i % problem.n];
            seen[i % problem.n] = true;
        }
        free(seen);
        assert_true(stride > 1 || checked == count);
        assert_true(columns == (checked < problem.n ? checked : problem.n));
        assert_true(checked * problem.k <= (1 << 23) + problem.k);
    }
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

TEST(every_step_has_its_source)
{
    assert_string_equal(matmul_steps[MATMUL_STEPS - 1].name, "openblas"); /* the last step: "all" is none */
    for (size_t step = 0; step < MATMUL_STEPS; step++) {
        const struct lab_source *found = NULL;
        for (const struct lab_source *s = lab_experiment_find("matmul")->sources; s->step != NULL; s++)
            if (strcmp(s->step, matmul_steps[step].name) == 0)
                found = s;
        if (found == NULL)
            fail_msg("%s has no source", matmul_steps[step].name);
    }
    for (const struct lab_source *s = lab_experiment_find("matmul")->sources; s->step != NULL; s++) {
        assert_true(strlen(s->title) > 4 && strlen(s->explanation) > 200);
        char *text = lab_source_text(s);
        assert_non_null(text);
        assert_true(strlen(text) > 200);
        free(text);
    }
}

/* --- verification of one product ---------------------------------------------------------------------------------- */

struct fixture {
    struct lab_run run;
    struct lab_parameters *parameters;
    struct matmul_product product;
    struct lab_work work;
    atomic_bool cancel;
};

static void open_fixture(struct fixture *fixture)
{
    struct lab_error error;
    *fixture = (struct fixture){.parameters = parse("matmul", "{}")};
    fixture->run = (struct lab_run){.parameters = fixture->parameters, .device_count = 1, .cancel = &fixture->cancel};
    fixture->run.devices[0] = lab_host_runtime.open(0, &error);
    assert_non_null(fixture->run.devices[0]);
    assert_true(matmul_product_open(&fixture->product, &fixture->run, fixture->run.devices[0]));
}

static void set_problem(struct fixture *fixture, enum lab_gemm_layout layout)
{
    struct matmul_problem problem = {.type = LAB_GEMM_FP32, .layout = layout, .m = 33, .n = 17, .k = 65};
    assert_true(matmul_product_set(&fixture->product, &problem));
    assert_true(matmul_product_prepare(&fixture->product, matmul_step_find("naive"), &fixture->work));
}

static void close_fixture(struct fixture *fixture)
{
    matmul_product_close(&fixture->product);
    lab_host_runtime.close(fixture->run.devices[0]);
    lab_parameters_free(fixture->parameters);
}

static uint64_t count_wrong(struct fixture *fixture)
{
    uint64_t wrong;
    assert_true(fixture->work.verify(fixture->work.context, &wrong));
    return wrong;
}

static uint64_t count_wrong_after_a_product(struct fixture *fixture)
{
    assert_true(fixture->work.poison(fixture->work.context) && fixture->work.enqueue(fixture->work.context));
    assert_true(lab_host_runtime.stream_synchronize(fixture->run.devices[0], fixture->product.stream));
    return count_wrong(fixture);
}

/* The first call of `poison` uses normally distributed inputs, the second call small integers. */
TEST(a_correct_product_verifies)
{
    struct fixture fixture;
    for (int layout = 0; layout < LAB_GEMM_LAYOUTS; layout++) {
        open_fixture(&fixture);
        set_problem(&fixture, (enum lab_gemm_layout)layout);
        assert_int_equal(count_wrong_after_a_product(&fixture), 0);
        assert_int_equal(count_wrong_after_a_product(&fixture), 0);
        close_fixture(&fixture);
    }
}

/* Poison that remains in C, and single wrong elements, are detected with both kinds of inputs. */
TEST(wrong_results_are_counted)
{
    struct fixture fixture;
    open_fixture(&fixture);
    set_problem(&fixture, LAB_GEMM_NN);
    assert_true(fixture.work.poison(fixture.work.context));
    assert_int_equal(count_wrong(&fixture), 33 * 17);
    matmul_product_end(&fixture.product);
    set_problem(&fixture, LAB_GEMM_NN);
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(count_wrong_after_a_product(&fixture), 0);
        float *c = fixture.product.buffers[MATMUL_C].address;
        c[5] += 1e-3f;
        c[33 * 17 - 1] = NAN;
        assert_int_equal(count_wrong(&fixture), 2);
    }
    close_fixture(&fixture);
}

/* The exact product is checked before any step is compared with it. */
TEST(a_wrong_reference_ends_the_run)
{
    struct fixture fixture;
    struct lab_error error;
    lab_host_runtime.stop();
    assert_true(lab_host_runtime.start(&(struct lab_runtime_options){.host_fault = "wrong-result@1"}, &error));
    open_fixture(&fixture);
    struct matmul_problem problem = {.type = LAB_GEMM_FP32, .m = 33, .n = 17, .k = 65};
    assert_false(matmul_product_set(&fixture.product, &problem));
    assert_int_equal(fixture.run.error.code, LAB_ERROR_REFERENCE_WRONG);
    close_fixture(&fixture);
    lab_host_runtime.stop();
    assert_true(lab_host_runtime.start(&(struct lab_runtime_options){0}, &error));
}

/* --- complete runs with planted kernels --------------------------------------------------------------------------- */

/* What the step `naive` does wrong. The reference is the step `blocked`, because OpenBLAS may not be installed. */
enum mistake {
    NO_MISTAKE,
    TF32_INPUTS,   /* rounds its inputs to 10 bits, like a tensor core */
    TIMED_ELEMENT, /* one element is wrong, but not for inputs that are integers */
    NO_RESULT      /* does nothing */
};

static enum mistake planted;

struct planted_plan {
    struct lab_plan base;
    struct lab_gemm gemm;
    enum mistake mistake;
};

static float rounded_to_tf32(float value)
{
    uint32_t bits = lab_float_bits(value) + (1u << 12);
    bits &= ~((1u << 13) - 1);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void multiply(struct lab_plan *base)
{
    const struct planted_plan *plan = (const struct planted_plan *)(void *)base;
    const struct lab_gemm *g = &plan->gemm;
    const float *a = g->a, *b = g->b;
    float *c = g->c;
    for (size_t i = 0; i < g->m * g->n && plan->mistake != NO_RESULT; i++) {
        float sum = 0;
        for (size_t p = 0; p < g->k; p++) {
            float x = a[i / g->n * g->k + p], y = b[p * g->n + i % g->n];
            sum += plan->mistake == TF32_INPUTS ? rounded_to_tf32(x) * rounded_to_tf32(y) : x * y;
        }
        c[i] = sum;
    }
    if (plan->mistake == TIMED_ELEMENT && a[0] != floorf(a[0]))
        c[7] += 0.01f;
}

static void free_plan(struct lab_plan *base)
{
    free(base);
}

static struct lab_plan *prepare_planted(struct lab_device *device, const char *method, const struct lab_gemm *gemm)
{
    if (strcmp(method, "openblas") == 0)
        return lab_host_runtime.gemm->prepare(device, "blocked", gemm);
    struct planted_plan *plan =
        (struct planted_plan *)(void *)lab_host_plan_create(device, sizeof *plan, multiply, free_plan);
    assert_non_null(plan);
    plan->gemm = *gemm;
    plan->mistake = planted;
    return &plan->base;
}

/* What a run reports. */
struct results {
    size_t points;              /* of which its progress tells */
    size_t products;            /* measurements of throughput */
    bool naive_verified;        /* of the step naive */
    size_t shares;              /* samples of share_of_reference of the step naive */
    double share[16], time[16]; /* samples of the step naive */
    size_t memory_ceilings;
};

static const char *value_on(const struct lab_measurement *measurement, const char *axis)
{
    for (size_t i = 0; i < measurement->axes.count; i++)
        if (strcmp(measurement->axes.items[i].axis, axis) == 0)
            return measurement->axes.items[i].text;
    return "";
}

static void on_measurement(void *context, const struct lab_measurement *measurement)
{
    struct results *results = context;
    bool naive = strcmp(value_on(measurement, "step"), "naive") == 0;
    size_t bytes = (measurement->sample_count < 16 ? measurement->sample_count : 16) * sizeof(double);
    assert_null(measurement->skipped);
    results->products += strcmp(measurement->metric, "throughput") == 0;
    results->memory_ceilings += strcmp(measurement->metric, "memory_ceiling") == 0;
    if (naive && strcmp(measurement->metric, "throughput") == 0)
        results->naive_verified = measurement->verified_known && measurement->verified;
    if (naive && strcmp(measurement->metric, "time") == 0)
        memcpy(results->time, measurement->samples, bytes);
    if (naive && strcmp(measurement->metric, "share_of_reference") == 0) {
        results->shares = measurement->sample_count;
        memcpy(results->share, measurement->samples, bytes);
    }
}

static void on_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)done, (void)label;
    ((struct results *)context)->points = total;
}

static void on_warning(void *context, const char *text)
{
    (void)context, (void)text;
}

static struct results run_with(enum mistake mistake, const char *request)
{
    struct lab_runtime_gemm gemm = *lab_host_runtime.gemm;
    struct lab_runtime runtime = lab_host_runtime;
    struct lab_error error;
    atomic_bool cancel = false;
    struct results results = {0};
    struct lab_parameters *parameters = parse("matmul", request);
    struct lab_run run = {
        .experiment = parameters->experiment,
        .parameters = parameters,
        .device_count = 1,
        .devices = {lab_host_runtime.open(0, &error)},
        .sink = {.context = &results, .measurement = on_measurement, .progress = on_progress, .warning = on_warning},
        .cancel = &cancel};
    planted = mistake;
    gemm.prepare = prepare_planted;
    runtime.gemm = &gemm;
    run.devices[0]->runtime = &runtime;
    run.devices[0]->facts.l2_bytes = LAB_UNKNOWN; /* for small arrays */
    assert_true(run.experiment->run(&run));
    assert_true(run.any_wrong != results.naive_verified);
    lab_host_runtime.close(run.devices[0]);
    lab_parameters_free(parameters);
    return results;
}

#define SMALL_RUN                                                                                                      \
    "{\"step\": [\"naive\", \"openblas\"], \"type\": \"fp32\", \"m\": 20, \"n\": 30, \"k\": 4096, \"min_samples\": 3," \
    " \"max_samples\": 3, \"sample_s\": 0, \"settle_s\": 0, \"time_budget_s\": 600}" /* never short of time */

TEST(a_run_has_the_points_of_its_plan)
{
    struct results results = run_with(NO_MISTAKE, SMALL_RUN);
    assert_true(results.naive_verified);
    assert_int_equal(results.products, 2);
    assert_int_equal(results.memory_ceilings, MEMORY_CEILINGS);
    expect_points("matmul", SMALL_RUN, results.points);
}

/* share * time is the time of the reference's sample that was taken with it, so it is not the same for all samples. */
TEST(a_step_is_sampled_alternately_with_the_reference)
{
    struct results results = run_with(NO_MISTAKE, SMALL_RUN);
    double first = results.share[0] * results.time[0], difference = 0;
    assert_int_equal(results.shares, 3);
    for (size_t i = 1; i < results.shares; i++)
        difference = fmax(difference, fabs(results.share[i] * results.time[i] / first - 1));
    assert_true(difference > 1e-9);
}

TEST(a_product_in_tf32_is_not_one_in_fp32)
{
    assert_false(run_with(TF32_INPUTS, SMALL_RUN).naive_verified);
}

TEST(an_element_that_is_wrong_only_while_it_is_timed_is_found)
{
    assert_false(run_with(TIMED_ELEMENT, SMALL_RUN).naive_verified);
}

TEST(a_step_is_not_verified_by_the_result_of_its_baseline)
{
    assert_false(run_with(NO_RESULT, SMALL_RUN).naive_verified);
}

/* The numbers in the comment of lab_gemm_error_max: k terms with random signs in fp32, with and without rounded
 * inputs. */
TEST(the_error_limit_separates_fp32_from_tf32)
{
    enum { ELEMENTS = 64 };
    for (uint64_t k = 1; k <= 65536; k *= 16) {
        size_t wrong = 0, wrong_in_tf32 = 0;
        for (uint64_t e = 0; e < ELEMENTS; e++) {
            double dot = 0, squares = 0;
            float sum = 0, sum_in_tf32 = 0;
            for (uint64_t i = e * k; i < (e + 1) * k; i++) {
                float a = lab_pattern_normal(i, 1), b = lab_pattern_normal(i, UINT64_C(1) << 32);
                dot += (double)a * (double)b;
                squares += (double)a * (double)a * (double)b * (double)b;
                sum += a * b;
                sum_in_tf32 += rounded_to_tf32(a) * rounded_to_tf32(b);
            }
            double most = lab_gemm_error_max(LAB_GEMM_FP32, (double)k, dot, squares);
            wrong += fabs((double)sum - dot) > most;
            wrong_in_tf32 += fabs((double)sum_in_tf32 - dot) > most;
            assert_true(fabs((double)sum_in_tf32 - dot) <= lab_gemm_error_max(LAB_GEMM_TF32, (double)k, dot, squares));
        }
        assert_int_equal(wrong, 0);
        assert_true(wrong_in_tf32 > ELEMENTS / 2);
    }
}
