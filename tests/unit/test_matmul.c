/* kernels/experiments/matmul: the points of a request, refused requests, counted operations and bytes, and detection of
 * wrong results.
 */
#include "experiments/matmul/job.h"
#include "host/host.h"
#include "plan_harness.h"

#include <math.h>
#include <stdlib.h>

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static void points_combine_step_size_type_and_layout(void **state)
{
    (void)state;
    expect_points("matmul",
                  "{\"step\": [\"naive\", \"cublas\"], \"type\": [\"fp32\", \"fp64\"], \"layout\": [\"nn\", \"tn\"]}",
                  2 * 2 * 2 * 5);
    expect_points("matmul", "{\"step\": \"naive\", \"type\": \"fp32\", \"min_size\": 64, \"max_size\": 16384}", 9);
    expect_points("matmul", "{\"step\": \"naive\", \"type\": \"fp32\", \"m\": 100, \"n\": 10, \"k\": 1}", 1);
    /* 1, 2, 3: a small factor still advances by one */
    expect_points("matmul",
                  "{\"step\": \"naive\", \"type\": \"fp32\", \"min_size\": 1, \"max_size\": 3, \"factor\": 1.01}", 3);
}

static void memory_counts_three_matrices_and_the_exact_product(void **state)
{
    (void)state;
    struct plan plan = plan_within(
        "matmul", "{\"step\": \"naive\", \"type\": \"fp64\", \"m\": 100, \"n\": 10, \"k\": 30}", PLAN_MEMORY);
    assert_true(plan.good);
    assert_int_equal(plan.estimate.device_bytes, 8 * (100 * 30 + 30 * 10 + 100 * 10) + 4 * 100 * 10);
}

static void invalid_requests_are_refused_with_a_pointer(void **state)
{
    (void)state;
    expect_refusal("matmul", "{\"min_size\": 512, \"max_size\": 256}", "min-above-max", "/parameters/min_size");
    expect_refusal("matmul", "{\"m\": 512, \"n\": 256}", "missing", "/parameters/k");
    expect_refusal("matmul", "{\"max_size\": 16384}", "exceeds-memory", "/parameters/max_size");
    expect_refusal("matmul", "{\"m\": 65536, \"n\": 65536, \"k\": 1}", "exceeds-memory", "/parameters/m");
    expect_refusal("matmul",
                   "{\"min_size\": 1, \"max_size\": 2000, \"factor\": 1.01, \"step\": \"all\","
                   " \"type\": [\"fp32\", \"fp64\", \"tf32\", \"bf16\", \"fp16\"], \"layout\": [\"nn\", \"tn\"]}",
                   "too-many-points", "/parameters");
    struct plan plan = plan_within("matmul", "{\"k\": 5}", PLAN_MEMORY);
    assert_false(plan.good);
    assert_int_equal(plan.errors.count, 2);
}

static void operations_and_bytes_are_counted_as_the_formulas_say(void **state)
{
    (void)state;
    struct matmul_problem problem = {.type = LAB_GEMM_BF16, .m = 10, .n = 20, .k = 30};
    assert_true(matmul_operations(&problem) == 12000);
    assert_true(matmul_bytes(&problem) == 2 * (300 + 600 + 200));
}

/* The CPU checks all elements of a small product, and elements in all columns and many rows of a large one. */
static void elements_checked_by_the_cpu_cover_all_columns(void **state)
{
    static const size_t sizes[][3] = {{64, 64, 64},       {1024, 1024, 1024}, {4096, 4096, 4096}, {8192, 8192, 8192},
                                      {16384, 64, 16384}, {50000, 64, 4096},  {64, 50000, 4096}};
    (void)state;
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

static void every_step_has_its_source(void **state)
{
    (void)state;
    for (size_t step = 0; step < LAB_GEMM_STEPS; step++) {
        const struct lab_source *found = NULL;
        for (const struct lab_source *s = matmul_sources; s->step != NULL; s++)
            if (strcmp(s->step, matmul_steps[step]) == 0)
                found = s;
        if (found == NULL)
            fail_msg("%s has no source", matmul_steps[step]);
    }
    for (const struct lab_source *s = matmul_sources; s->step != NULL; s++) {
        assert_true(strlen(s->title) > 4 && strlen(s->explanation) > 200);
        assert_non_null(strstr(s->file, s->backend));
        assert_true(strlen(s->text) > 200);
    }
}

/* --- verification ------------------------------------------------------------------------------------------------- */

struct fixture {
    struct lab_run run;
    struct lab_parameters *parameters;
    struct matmul_job job;
    atomic_bool cancel;
};

static void open_fixture(struct fixture *fixture, enum lab_gemm_step step, enum lab_gemm_layout layout)
{
    struct lab_error error;
    *fixture = (struct fixture){.parameters = parse("matmul", "{}")};
    fixture->run = (struct lab_run){.parameters = fixture->parameters, .device_count = 1, .cancel = &fixture->cancel};
    fixture->run.devices[0] = lab_host_runtime.open(0, &error);
    assert_non_null(fixture->run.devices[0]);
    assert_true(matmul_job_open(&fixture->job, &fixture->run));
    struct matmul_problem problem = {.type = LAB_GEMM_FP32, .layout = layout, .m = 33, .n = 17, .k = 65};
    assert_true(matmul_job_set(&fixture->job, &problem));
    assert_true(matmul_job_prepare(&fixture->job, step));
}

static void close_fixture(struct fixture *fixture)
{
    matmul_job_close(&fixture->job);
    lab_host_runtime.close(fixture->run.devices[0]);
    lab_parameters_free(fixture->parameters);
}

static uint64_t count_wrong_after_a_product(struct fixture *fixture)
{
    uint64_t wrong;
    assert_true(matmul_job_poison(&fixture->job) && matmul_job_enqueue(&fixture->job));
    assert_true(lab_host_runtime.stream_synchronize(fixture->run.devices[0], fixture->job.stream));
    assert_true(matmul_job_verify(&fixture->job, &wrong));
    return wrong;
}

/* The first call of matmul_job_poison uses normally distributed inputs, the second call small integers. */
static void a_correct_product_verifies(void **state)
{
    struct fixture fixture;
    (void)state;
    for (int layout = 0; layout < LAB_GEMM_LAYOUTS; layout++) {
        open_fixture(&fixture, LAB_GEMM_NAIVE, (enum lab_gemm_layout)layout);
        assert_int_equal(count_wrong_after_a_product(&fixture), 0);
        assert_int_equal(count_wrong_after_a_product(&fixture), 0);
        close_fixture(&fixture);
    }
}

/* Poison that remains in C is detected with both kinds of inputs; a single wrong element only with integers. */
static void wrong_results_are_counted(void **state)
{
    struct fixture fixture;
    uint64_t wrong;
    (void)state;
    open_fixture(&fixture, LAB_GEMM_NAIVE, LAB_GEMM_NN);
    assert_true(matmul_job_poison(&fixture.job));
    assert_true(matmul_job_verify(&fixture.job, &wrong));
    assert_int_equal(wrong, 33 * 17);
    assert_int_equal(count_wrong_after_a_product(&fixture), 0);
    float *c = fixture.job.c;
    c[5] += 1;
    c[33 * 17 - 1] = NAN;
    assert_true(matmul_job_verify(&fixture.job, &wrong));
    assert_int_equal(wrong, 2);
    close_fixture(&fixture);
}

/* The exact product is checked before any step is compared with it. */
static void a_wrong_reference_ends_the_run(void **state)
{
    struct fixture fixture;
    struct lab_error error;
    (void)state;
    lab_host_runtime.stop();
    assert_true(lab_host_runtime.start(&(struct lab_runtime_options){.host_fault = "wrong-result@1"}, &error));
    fixture = (struct fixture){.parameters = parse("matmul", "{}")};
    fixture.run = (struct lab_run){.parameters = fixture.parameters, .device_count = 1, .cancel = &fixture.cancel};
    fixture.run.devices[0] = lab_host_runtime.open(0, &error);
    assert_true(matmul_job_open(&fixture.job, &fixture.run));
    struct matmul_problem problem = {.type = LAB_GEMM_FP32, .m = 33, .n = 17, .k = 65};
    assert_false(matmul_job_set(&fixture.job, &problem));
    assert_string_equal(fixture.run.error.code, "reference-wrong");
    close_fixture(&fixture);
    lab_host_runtime.stop();
    assert_true(lab_host_runtime.start(&(struct lab_runtime_options){0}, &error));
}

static int start_runtime(void **state)
{
    struct lab_error error;
    (void)state;
    return lab_host_runtime.start(&(struct lab_runtime_options){.host_devices = 1}, &error) ? 0 : -1;
}

static int stop_runtime(void **state)
{
    (void)state;
    lab_host_runtime.stop();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_combine_step_size_type_and_layout),
        cmocka_unit_test(memory_counts_three_matrices_and_the_exact_product),
        cmocka_unit_test(invalid_requests_are_refused_with_a_pointer),
        cmocka_unit_test(operations_and_bytes_are_counted_as_the_formulas_say),
        cmocka_unit_test(elements_checked_by_the_cpu_cover_all_columns),
        cmocka_unit_test(every_step_has_its_source),
        cmocka_unit_test(a_correct_product_verifies),
        cmocka_unit_test(wrong_results_are_counted),
        cmocka_unit_test(a_wrong_reference_ends_the_run),
    };
    return cmocka_run_group_tests(tests, start_runtime, stop_runtime);
}
