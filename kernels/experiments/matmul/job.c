/* Memory, inputs and exact result of a product. */
#include "job.h"

#include "experiment/parameters.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- memory ------------------------------------------------------------------------------------------------------- */

bool matmul_job_open(struct matmul_job *job, struct lab_run *run)
{
    *job = (struct matmul_job){.run = run, .device = run->devices[0], .runtime = run->devices[0]->runtime};
    job->seed = (uint64_t)lab_parameter_integer(run->parameters, "seed");
    job->stream = job->runtime->stream_create(job->device);
    if (job->stream == NULL)
        run->error = job->device->error;
    return job->stream != NULL;
}

static void release(struct matmul_job *job, void **memory, size_t *bytes)
{
    job->runtime->release(job->device, LAB_MEMORY_DEVICE, *memory);
    *memory = NULL;
    *bytes = 0;
}

static void release_plan(struct matmul_job *job)
{
    job->runtime->plan_release(job->device, job->plan);
    job->plan = NULL;
}

void matmul_job_close(struct matmul_job *job)
{
    if (job->runtime == NULL)
        return;
    void *expected = job->expected;
    release_plan(job);
    release(job, &job->a, &job->a_bytes);
    release(job, &job->b, &job->b_bytes);
    release(job, &job->c, &job->c_bytes);
    release(job, &expected, &job->expected_bytes);
    job->runtime->stream_release(job->device, job->stream);
}

/* Makes *memory at least `bytes` large; *reserved is the present size. Keeps the present allocation if it is large
 * enough. */
static bool reserve(struct matmul_job *job, void **memory, size_t *reserved, size_t bytes)
{
    if (*reserved >= bytes)
        return true;
    release(job, memory, reserved);
    if (!job->runtime->allocate(job->device, LAB_MEMORY_DEVICE, bytes, memory)) {
        job->run->error = job->device->error;
        return false;
    }
    *reserved = bytes;
    return true;
}

/* --- filling matrices --------------------------------------------------------------------------------------------- */

static bool run_once(struct matmul_job *job, struct lab_plan *plan)
{
    bool good = plan != NULL && job->runtime->enqueue(job->device, plan, job->stream) &&
                job->runtime->stream_synchronize(job->device, job->stream);
    job->runtime->plan_release(job->device, plan);
    return good;
}

/* The seeds differ in their high bits, because seeds that differ only in low bits give the same numbers in another
 * order. */
static uint64_t seed_a(const struct matmul_job *job)
{
    return job->seed;
}

static uint64_t seed_b(const struct matmul_job *job)
{
    return job->seed + (UINT64_C(1) << 32);
}

static bool fill(struct matmul_job *job, enum lab_gemm_content content, void *matrix, size_t rows, size_t columns,
                 bool column_major, uint64_t seed)
{
    const struct lab_gemm_fill what = {.type = job->problem.type,
                                       .content = content,
                                       .rows = rows,
                                       .columns = columns,
                                       .column_major = column_major,
                                       .seed = seed,
                                       .matrix = matrix};
    return run_once(job, job->runtime->gemm->prepare_fill(job->device, &what));
}

/* --- the exact product -------------------------------------------------------------------------------------------- */

/* The dot product of element `index` of C. Exact, because the sums of integers stay far below 2^53. */
static double element_on_cpu(const struct matmul_job *job, size_t index)
{
    size_t row = index / job->problem.n, column = index % job->problem.n;
    double sum = 0;
    for (size_t i = 0; i < job->problem.k; i++)
        sum += (double)lab_pattern_small_int(row * job->problem.k + i, seed_a(job)) *
               (double)lab_pattern_small_int(i * job->problem.n + column, seed_b(job));
    return sum;
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Bounds the CPU's work to about TERMS_MAX multiply-adds. A stride that is coprime to the row length reaches all
 * columns. */
size_t matmul_checked_stride(const struct matmul_problem *problem)
{
    enum { TERMS_MAX = 1 << 23 };
    size_t count = problem->m * problem->n, elements = TERMS_MAX / problem->k;
    if (elements >= count)
        return 1;
    size_t stride = elements > 0 ? count / elements : count;
    while (common_divisor(stride, problem->n) != 1)
        stride++;
    return stride;
}

/* Compares sampled elements of rows `first` to `first + rows` - 1 of the device's exact product with the CPU's. */
static bool check_rows(struct matmul_job *job, const int32_t *product, size_t first, size_t rows)
{
    size_t stride = matmul_checked_stride(&job->problem), begin = first * job->problem.n;
    for (size_t i = (begin + stride - 1) / stride * stride; i < begin + rows * job->problem.n; i += stride) {
        double expected = element_on_cpu(job, i);
        if ((double)product[i - begin] != expected)
            return lab_error_set(&job->run->error, "reference-wrong", "",
                                 "element %zu of the exact product is %" PRId32 " on the device but %.0f on the CPU", i,
                                 product[i - begin], expected);
    }
    return true;
}

/* Copies the exact product to the host and checks it in parts of some rows, to limit the host memory. */
static bool check_expected(struct matmul_job *job)
{
    enum { ELEMENTS_MAX = 1 << 22 };
    size_t most = ELEMENTS_MAX / job->problem.n + 1, rows;
    int32_t *product = malloc((most < job->problem.m ? most : job->problem.m) * job->problem.n * sizeof *product);
    bool good = product != NULL;
    if (!good)
        lab_error_set(&job->run->error, "out-of-memory", "",
                      "out of memory for a part of the exact product on the host");
    for (size_t first = 0; good && first < job->problem.m; first += rows) {
        rows = most < job->problem.m - first ? most : job->problem.m - first;
        good = job->runtime->copy(job->device, job->stream, product, job->expected + first * job->problem.n,
                                  rows * job->problem.n * sizeof *product, LAB_D2H) &&
               job->runtime->stream_synchronize(job->device, job->stream);
        if (!good)
            job->run->error = job->device->error;
        good = good && check_rows(job, product, first, rows);
    }
    free(product);
    return good;
}

static bool compute_expected(struct matmul_job *job)
{
    const struct lab_gemm_expected what = {.m = job->problem.m,
                                           .n = job->problem.n,
                                           .k = job->problem.k,
                                           .seed_a = seed_a(job),
                                           .seed_b = seed_b(job),
                                           .product = job->expected};
    if (!run_once(job, job->runtime->gemm->prepare_expected(job->device, &what))) {
        job->run->error = job->device->error;
        return false;
    }
    return check_expected(job);
}

bool matmul_job_set(struct matmul_job *job, const struct matmul_problem *problem)
{
    bool same = job->expected_valid && job->problem.m == problem->m && job->problem.n == problem->n &&
                job->problem.k == problem->k;
    size_t element = lab_gemm_element_bytes(problem->type);
    void *expected = job->expected;
    release_plan(job);
    job->problem = *problem;
    bool good = reserve(job, &job->a, &job->a_bytes, problem->m * problem->k * element) &&
                reserve(job, &job->b, &job->b_bytes, problem->k * problem->n * element) &&
                reserve(job, &job->c, &job->c_bytes, problem->m * problem->n * element) &&
                reserve(job, &expected, &job->expected_bytes, problem->m * problem->n * sizeof(int32_t));
    job->expected = expected;
    job->expected_valid = good && (same || compute_expected(job));
    return job->expected_valid;
}

/* --- a step ------------------------------------------------------------------------------------------------------- */

bool matmul_job_prepare(struct matmul_job *job, enum lab_gemm_step step)
{
    const struct lab_gemm gemm = {.step = step,
                                  .type = job->problem.type,
                                  .layout = job->problem.layout,
                                  .m = job->problem.m,
                                  .n = job->problem.n,
                                  .k = job->problem.k,
                                  .a = job->a,
                                  .b = job->b,
                                  .c = job->c};
    release_plan(job);
    job->plan = job->runtime->gemm->prepare(job->device, &gemm);
    job->poison_calls = 0;
    return job->plan != NULL;
}

bool matmul_job_enqueue(void *context)
{
    struct matmul_job *job = context;
    return job->runtime->enqueue(job->device, job->plan, job->stream);
}

bool matmul_job_poison(void *context)
{
    struct matmul_job *job = context;
    const struct matmul_problem *problem = &job->problem;
    enum lab_gemm_content inputs = job->poison_calls++ == 0 ? LAB_GEMM_NORMAL : LAB_GEMM_SMALL_INTS;
    return fill(job, inputs, job->a, problem->m, problem->k, false, seed_a(job)) &&
           fill(job, inputs, job->b, problem->k, problem->n, problem->layout == LAB_GEMM_TN, seed_b(job)) &&
           fill(job, LAB_GEMM_POISON, job->c, problem->m, problem->n, false, 0);
}

bool matmul_job_verify(void *context, uint64_t *wrong)
{
    struct matmul_job *job = context;
    const struct lab_gemm_compare what = {.type = job->problem.type,
                                          .count = job->problem.m * job->problem.n,
                                          .c = job->c,
                                          .product = job->poison_calls > 1 ? job->expected : NULL,
                                          .wrong = wrong};
    return run_once(job, job->runtime->gemm->prepare_compare(job->device, &what));
}
