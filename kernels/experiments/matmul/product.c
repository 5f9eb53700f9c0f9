/* Memory, inputs and exact results of products. */
#include "product.h"

#include "experiment/parameters.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- memory ------------------------------------------------------------------------------------------------------- */

bool matmul_product_open(struct matmul_product *p, struct lab_run *run)
{
    *p = (struct matmul_product){.run = run, .device = run->devices[0], .runtime = run->devices[0]->runtime};
    p->seed = (uint64_t)lab_parameter_integer(run->parameters, "seed");
    p->stream = p->runtime->stream_create(p->device);
    if (p->stream == NULL)
        run->error = p->device->error;
    return p->stream != NULL;
}

static void release(struct matmul_product *p, void **memory, size_t *bytes)
{
    p->runtime->release(p->device, LAB_MEMORY_DEVICE, *memory);
    *memory = NULL;
    *bytes = 0;
}

static void release_plan(struct matmul_product *p)
{
    p->runtime->plan_release(p->device, p->plan);
    p->plan = NULL;
}

void matmul_product_close(struct matmul_product *p)
{
    if (p->runtime == NULL)
        return;
    void *expected = p->expected;
    release_plan(p);
    release(p, &p->a, &p->a_bytes);
    release(p, &p->b, &p->b_bytes);
    release(p, &p->c, &p->c_bytes);
    release(p, &expected, &p->expected_bytes);
    p->runtime->stream_release(p->device, p->stream);
}

/* Memory of at least `bytes`, the present one where it is large enough. */
static bool hold(struct matmul_product *p, void **memory, size_t *held, size_t bytes)
{
    if (*held >= bytes)
        return true;
    release(p, memory, held);
    if (!p->runtime->allocate(p->device, LAB_MEMORY_DEVICE, bytes, memory)) {
        p->run->error = p->device->error;
        return false;
    }
    *held = bytes;
    return true;
}

/* --- plans that run once ------------------------------------------------------------------------------------------ */

static bool run_once(struct matmul_product *p, struct lab_plan *plan)
{
    bool good = plan != NULL && p->runtime->enqueue(p->device, plan, p->stream) &&
                p->runtime->stream_synchronize(p->device, p->stream);
    p->runtime->plan_release(p->device, plan);
    return good;
}

/* Seeds that differ in their low bits alone would give the same numbers in another order. */
static uint64_t seed_a(const struct matmul_product *p)
{
    return p->seed;
}

static uint64_t seed_b(const struct matmul_product *p)
{
    return p->seed + (UINT64_C(1) << 32);
}

static bool fill(struct matmul_product *p, enum lab_gemm_content content, void *matrix, size_t rows, size_t columns,
                 bool by_columns, uint64_t seed)
{
    const struct lab_gemm_fill what = {.type = p->group.type,
                                       .content = content,
                                       .rows = rows,
                                       .columns = columns,
                                       .by_columns = by_columns,
                                       .seed = seed,
                                       .matrix = matrix};
    return run_once(p, p->runtime->gemm->prepare_fill(p->device, &what));
}

/* --- the exact product -------------------------------------------------------------------------------------------- */

/* The dot product behind element `index` of C, in double: whole numbers far below 2^53 are exact in it. */
static double element_on_cpu(const struct matmul_product *p, size_t index)
{
    size_t row = index / p->group.n, column = index % p->group.n;
    double sum = 0;
    for (size_t i = 0; i < p->group.k; i++)
        sum += (double)lab_pattern_digit(row * p->group.k + i, seed_a(p)) *
               (double)lab_pattern_digit(i * p->group.n + column, seed_b(p));
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

/* Every element of a small product; of a large one every stride-th, so many as the CPU does in a moment. A stride without
 * common divisors with the length of a row comes through all columns. */
size_t matmul_product_stride(const struct matmul_group *group)
{
    enum { TERMS_MAX = 1 << 23 };
    size_t count = group->m * group->n, elements = TERMS_MAX / group->k;
    if (elements >= count)
        return 1;
    size_t stride = elements > 0 ? count / elements : count;
    while (common_divisor(stride, group->n) != 1)
        stride++;
    return stride;
}

/* Holds rows `first` to `first + rows` of the device's product against the CPU's. */
static bool check_rows(struct matmul_product *p, const int32_t *product, size_t first, size_t rows)
{
    size_t stride = matmul_product_stride(&p->group), begin = first * p->group.n;
    for (size_t i = (begin + stride - 1) / stride * stride; i < begin + rows * p->group.n; i += stride) {
        double right = element_on_cpu(p, i);
        if ((double)product[i - begin] != right)
            return lab_error_set(&p->run->error, "reference-wrong", "",
                                 "element %zu of the exact product is %" PRId32 " on the device and %.0f on the CPU", i,
                                 product[i - begin], right);
    }
    return true;
}

/* A part of the rows at a time, so that the CPU never holds the whole of a large product. */
static bool check_expected(struct matmul_product *p)
{
    enum { ELEMENTS_MAX = 1 << 22 };
    size_t most = ELEMENTS_MAX / p->group.n + 1, rows;
    int32_t *product = malloc((most < p->group.m ? most : p->group.m) * p->group.n * sizeof *product);
    bool good = product != NULL;
    if (!good)
        lab_error_set(&p->run->error, "out-of-memory", "", "no memory for a part of the product on the CPU");
    for (size_t first = 0; good && first < p->group.m; first += rows) {
        rows = most < p->group.m - first ? most : p->group.m - first;
        good = p->runtime->copy(p->device, p->stream, product, p->expected + first * p->group.n,
                                rows * p->group.n * sizeof *product, LAB_D2H) &&
               p->runtime->stream_synchronize(p->device, p->stream);
        if (!good)
            p->run->error = p->device->error;
        good = good && check_rows(p, product, first, rows);
    }
    free(product);
    return good;
}

static bool find_expected(struct matmul_product *p)
{
    const struct lab_gemm_expected what = {.m = p->group.m,
                                           .n = p->group.n,
                                           .k = p->group.k,
                                           .seed_a = seed_a(p),
                                           .seed_b = seed_b(p),
                                           .product = p->expected};
    if (!run_once(p, p->runtime->gemm->prepare_expected(p->device, &what))) {
        p->run->error = p->device->error;
        return false;
    }
    return check_expected(p);
}

bool matmul_product_set(struct matmul_product *p, const struct matmul_group *group)
{
    bool same = p->known && p->group.m == group->m && p->group.n == group->n && p->group.k == group->k;
    size_t element = lab_gemm_element_bytes(group->type);
    void *expected = p->expected;
    release_plan(p);
    p->group = *group;
    bool good = hold(p, &p->a, &p->a_bytes, group->m * group->k * element) &&
                hold(p, &p->b, &p->b_bytes, group->k * group->n * element) &&
                hold(p, &p->c, &p->c_bytes, group->m * group->n * element) &&
                hold(p, &expected, &p->expected_bytes, group->m * group->n * sizeof(int32_t));
    p->expected = expected;
    p->known = good && (same || find_expected(p));
    return p->known;
}

/* --- a step ------------------------------------------------------------------------------------------------------- */

bool matmul_product_prepare(struct matmul_product *p, enum lab_gemm_step step)
{
    const struct lab_gemm gemm = {.step = step,
                                  .type = p->group.type,
                                  .layout = p->group.layout,
                                  .m = p->group.m,
                                  .n = p->group.n,
                                  .k = p->group.k,
                                  .a = p->a,
                                  .b = p->b,
                                  .c = p->c};
    release_plan(p);
    p->plan = p->runtime->gemm->prepare(p->device, &gemm);
    p->poisonings = 0;
    return p->plan != NULL;
}

bool matmul_product_enqueue(void *context)
{
    struct matmul_product *p = context;
    return p->runtime->enqueue(p->device, p->plan, p->stream);
}

bool matmul_product_poison(void *context)
{
    struct matmul_product *p = context;
    const struct matmul_group *group = &p->group;
    enum lab_gemm_content inputs = p->poisonings++ == 0 ? LAB_GEMM_NORMALS : LAB_GEMM_DIGITS;
    return fill(p, inputs, p->a, group->m, group->k, false, seed_a(p)) &&
           fill(p, inputs, p->b, group->k, group->n, group->layout == LAB_GEMM_TN, seed_b(p)) &&
           fill(p, LAB_GEMM_POISON, p->c, group->m, group->n, false, 0);
}

bool matmul_product_verify(void *context, uint64_t *wrong)
{
    struct matmul_product *p = context;
    const struct lab_gemm_compare what = {.type = p->group.type,
                                          .count = p->group.m * p->group.n,
                                          .c = p->c,
                                          .product = p->poisonings > 1 ? p->expected : NULL,
                                          .wrong = wrong};
    return run_once(p, p->runtime->gemm->prepare_compare(p->device, &what));
}
