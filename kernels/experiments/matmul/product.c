/* Memory, inputs, exact result and work of a product. */
#include "product.h"

#include "benchmark/streams.h"
#include "descriptor/parameters.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- memory ------------------------------------------------------------------------------------------------------- */

bool matmul_product_open(struct matmul_product *product, struct lab_run *run, struct lab_device *device)
{
    *product = (struct matmul_product){.run = run, .device = device, .runtime = device->runtime};
    product->seed = (uint64_t)lab_parameter_integer(run->parameters, "seed");
    product->stream = lab_run_stream(run, device);
    product->lane = (struct lab_lane){device, product->stream};
    product->kernels.device = device;
    return lab_run_forward_error(
        run, device, product->stream != NULL && lab_own_module_open(&product->kernels.own, device, run->own_kernels));
}

static void release_plan(struct matmul_product *product, struct lab_plan **plan)
{
    product->runtime->plan_free(product->device, *plan);
    *plan = NULL;
}

static void release(struct matmul_product *product, struct matmul_buffer *buffer)
{
    product->runtime->free(product->device, LAB_MEMORY_DEVICE, buffer->address);
    *buffer = (struct matmul_buffer){0};
}

void matmul_product_free_matrices(struct matmul_product *product)
{
    release_plan(product, &product->plan);
    release_plan(product, &product->baseline_plan);
    for (size_t i = 0; i < MATMUL_EXACT; i++)
        release(product, &product->buffers[i]);
}

void matmul_product_free_memory(struct matmul_product *product)
{
    matmul_product_free_matrices(product);
    release(product, &product->buffers[MATMUL_EXACT]);
    product->exact_valid = false;
}

void matmul_product_close(struct matmul_product *product)
{
    matmul_product_free_memory(product);
    matmul_kernels_close(&product->kernels);
    lab_run_stream_return(product->run, product->device, product->stream);
}

/* Makes a buffer at least `bytes` large. Keeps the present allocation if it is large enough. */
static bool reserve(struct matmul_product *product, size_t index, size_t bytes)
{
    struct matmul_buffer *buffer = &product->buffers[index];
    if (buffer->bytes >= bytes)
        return true;
    release(product, buffer);
    if (!product->runtime->allocate(product->device, LAB_MEMORY_DEVICE, bytes, &buffer->address))
        return false;
    buffer->bytes = bytes;
    return true;
}

/* --- filling matrices --------------------------------------------------------------------------------------------- */

static bool run_once(struct matmul_product *product, struct lab_plan *plan)
{
    bool good = plan != NULL && product->runtime->enqueue(product->device, plan, product->stream) &&
                product->runtime->stream_synchronize(product->device, product->stream);
    product->runtime->plan_free(product->device, plan);
    return good;
}

/* The seeds differ in their high bits, because seeds that differ only in low bits give the same numbers in another
 * order. */
static uint64_t seed_a(const struct matmul_product *product)
{
    return product->seed;
}

static uint64_t seed_b(const struct matmul_product *product)
{
    return product->seed + (UINT64_C(1) << 32);
}

static bool fill(struct matmul_product *product, enum lab_gemm_type type, enum lab_gemm_content content, size_t buffer,
                 size_t rows, size_t columns, bool column_major, uint64_t seed)
{
    const struct lab_gemm_fill what = {.type = type,
                                       .content = content,
                                       .rows = rows,
                                       .columns = columns,
                                       .column_major = column_major,
                                       .seed = seed,
                                       .matrix = product->buffers[buffer].address};
    return run_once(product, product->runtime->gemm->prepare_fill(product->device, &what));
}

/* --- the exact product -------------------------------------------------------------------------------------------- */

/* The dot product of element `index` of C. Exact, because the sums of integers stay far below 2^53. */
static double element_on_cpu(const struct matmul_product *product, size_t index)
{
    size_t row = index / product->problem.n, column = index % product->problem.n;
    double sum = 0;
    for (size_t i = 0; i < product->problem.k; i++)
        sum += (double)lab_pattern_small_int(row * product->problem.k + i, seed_a(product)) *
               (double)lab_pattern_small_int(i * product->problem.n + column, seed_b(product));
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
static bool check_rows(struct matmul_product *product, const int32_t *exact, size_t first, size_t rows)
{
    size_t stride = matmul_checked_stride(&product->problem), begin = first * product->problem.n;
    for (size_t i = (begin + stride - 1) / stride * stride; i < begin + rows * product->problem.n; i += stride) {
        double expected = element_on_cpu(product, i);
        if ((double)exact[i - begin] != expected)
            return lab_error_set(&product->run->error, LAB_ERROR_REFERENCE_WRONG, "",
                                 "element %zu of the exact product is %" PRId32 " on the device but %.0f on the CPU", i,
                                 exact[i - begin], expected);
    }
    return true;
}

/* Copies the exact product to the host and checks it in parts of some rows, to limit the host memory. */
static bool check_exact(struct matmul_product *product)
{
    enum { ELEMENTS_MAX = 1 << 22 };
    size_t most = ELEMENTS_MAX / product->problem.n + 1, rows;
    const int32_t *on_device = product->buffers[MATMUL_EXACT].address;
    int32_t *exact =
        malloc((most < product->problem.m ? most : product->problem.m) * product->problem.n * sizeof *exact);
    bool good = exact != NULL;
    if (!good)
        lab_error_set(&product->run->error, LAB_ERROR_OUT_OF_MEMORY, "",
                      "out of memory for a part of the exact product on the host");
    for (size_t first = 0; good && first < product->problem.m; first += rows) {
        rows = most < product->problem.m - first ? most : product->problem.m - first;
        good = product->runtime->copy(product->device, product->stream, exact, on_device + first * product->problem.n,
                                      rows * product->problem.n * sizeof *exact, LAB_D2H) &&
               product->runtime->stream_synchronize(product->device, product->stream);
        if (!good)
            product->run->error = product->device->error;
        good = good && check_rows(product, exact, first, rows);
    }
    free(exact);
    return good;
}

static bool compute_exact(struct matmul_product *product)
{
    const struct lab_gemm_expected what = {.m = product->problem.m,
                                           .n = product->problem.n,
                                           .k = product->problem.k,
                                           .seed_a = seed_a(product),
                                           .seed_b = seed_b(product),
                                           .product = product->buffers[MATMUL_EXACT].address};
    if (!run_once(product, product->runtime->gemm->prepare_expected(product->device, &what))) {
        product->run->error = product->device->error;
        return false;
    }
    return check_exact(product);
}

bool matmul_product_set(struct matmul_product *product, const struct matmul_problem *problem)
{
    const struct matmul_problem *last = &product->problem;
    bool same = product->exact_valid && last->m == problem->m && last->n == problem->n && last->k == problem->k;
    size_t element = lab_gemm_element_bytes(problem->type);
    size_t of_result = lab_gemm_element_bytes(lab_gemm_result_type(problem->type));
    if (same && last->type == problem->type && last->layout == problem->layout &&
        product->buffers[MATMUL_C].address != NULL)
        return true;
    release_plan(product, &product->baseline_plan);
    product->problem = *problem;
    product->exact_valid = false;
    if (!reserve(product, MATMUL_A, problem->m * problem->k * element) ||
        !reserve(product, MATMUL_B, problem->k * problem->n * element) ||
        !reserve(product, MATMUL_C, problem->m * problem->n * of_result) ||
        !reserve(product, MATMUL_EXACT, problem->m * problem->n * sizeof(int32_t))) {
        product->run->error = product->device->error;
        return false;
    }
    product->exact_valid = same || compute_exact(product);
    return product->exact_valid;
}

/* --- a step ------------------------------------------------------------------------------------------------------- */

static struct lab_gemm gemm_of(const struct matmul_product *product, size_t result)
{
    return (struct lab_gemm){.type = product->problem.type,
                             .layout = product->problem.layout,
                             .m = product->problem.m,
                             .n = product->problem.n,
                             .k = product->problem.k,
                             .a = product->buffers[MATMUL_A].address,
                             .b = product->buffers[MATMUL_B].address,
                             .c = product->buffers[result].address};
}

static bool matmul_product_enqueue(void *context)
{
    struct matmul_product *product = context;
    return product->runtime->enqueue(product->device, product->plan, product->stream);
}

static bool enqueue_baseline(void *context)
{
    struct matmul_product *product = context;
    return product->runtime->enqueue(product->device, product->baseline_plan, product->stream);
}

static bool matmul_poison(void *context)
{
    struct matmul_product *product = context;
    const struct matmul_problem *problem = &product->problem;
    enum lab_gemm_content inputs = product->poison_calls++ == 0 ? LAB_GEMM_NORMAL : LAB_GEMM_SMALL_INTS;
    bool tn = problem->layout == LAB_GEMM_TN;
    enum lab_gemm_type type = problem->type, result = lab_gemm_result_type(type);
    return fill(product, type, inputs, MATMUL_A, problem->m, problem->k, false, seed_a(product)) &&
           fill(product, type, inputs, MATMUL_B, problem->k, problem->n, tn, seed_b(product)) &&
           fill(product, result, LAB_GEMM_POISON, MATMUL_C, problem->m, problem->n, false, 0);
}

static bool matmul_verify(void *context, uint64_t *wrong)
{
    struct matmul_product *product = context;
    bool timed = product->poison_calls == 1;
    uint64_t far = 0;
    const struct lab_gemm_compare what = {.type = lab_gemm_result_type(product->problem.type),
                                          .count = product->problem.m * product->problem.n,
                                          .c = product->buffers[MATMUL_C].address,
                                          .product = timed ? NULL : product->buffers[MATMUL_EXACT].address,
                                          .wrong = wrong};
    const struct lab_gemm_sample sample = {
        .gemm = gemm_of(product, MATMUL_C), .stride = matmul_checked_stride(&product->problem), .wrong = &far};
    if (!run_once(product, product->runtime->gemm->prepare_compare(product->device, &what)) ||
        (timed && !run_once(product, product->runtime->gemm->prepare_sample(product->device, &sample))))
        return false;
    *wrong += far;
    return true;
}

/* From 10^11 operations on, a product takes longer than queueing it, so no latch is needed. Waiting behind a latch
 * would let the device cool down and then run faster than in a loop. */
static struct lab_work work_of(struct matmul_product *product, bool (*enqueue_one)(void *context))
{
    return (struct lab_work){.timing =
                                 matmul_operations(&product->problem) >= 1e11 ? LAB_TIME_EVENTS : LAB_TIME_LATCHED,
                             .lane_count = 1,
                             .lanes = &product->lane,
                             .operations = 4, /* a library may launch several kernels per product */
                             .compute = true,
                             .context = product,
                             .enqueue = enqueue_one};
}

/* The baseline has a result of its own, because a step must not be verified by what the reference has computed. */
static bool prepare_baseline(struct matmul_product *product, const struct matmul_step *step)
{
    if (product->baseline_plan != NULL)
        return true;
    if (!reserve(product, MATMUL_BASELINE_C,
                 product->problem.m * product->problem.n *
                     lab_gemm_element_bytes(lab_gemm_result_type(product->problem.type))))
        return false;
    const struct lab_gemm gemm = gemm_of(product, MATMUL_BASELINE_C);
    struct lab_kernel_record record;
    product->baseline_plan = matmul_kernels_prepare(&product->kernels, step, &gemm, &record);
    product->baseline = work_of(product, enqueue_baseline);
    return product->baseline_plan != NULL;
}

bool matmul_product_prepare(struct matmul_product *product, const struct matmul_step *step, struct lab_work *work)
{
    bool is_reference = step == matmul_reference(&product->device->facts);
    const struct lab_gemm gemm = gemm_of(product, MATMUL_C);
    product->plan = matmul_kernels_prepare(&product->kernels, step, &gemm, &product->record);
    product->poison_calls = 0;
    if (product->plan == NULL || (is_reference && !prepare_baseline(product, step)))
        return false;
    *work = work_of(product, matmul_product_enqueue);
    work->poison = matmul_poison;
    work->verify = matmul_verify;
    if (!is_reference && product->baseline_plan != NULL)
        work->baseline = &product->baseline;
    return true;
}

void matmul_product_end(struct matmul_product *product)
{
    release_plan(product, &product->plan);
}
