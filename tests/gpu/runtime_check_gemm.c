/* Checks of matrix products: every step, type and layout of the runtime, at sizes that are not multiples of a tile,
 * against the exact product of integers and against dot products in double; refused products; the ceilings.
 */
#include "runtime_check.h"

#include "experiments/matmul/kernels.h"
#include "experiments/matmul/matmul.h"

#include "runtime/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 1024, GUARD = 0xEE };

static const uint64_t seed_a = 0x0F1E2D3C4B5A6978u, seed_b = 0x8796A5B4C3D2E1F0u;
static const char *const type_names[LAB_GEMM_TYPES] = {"fp32", "fp64", "tf32", "bf16", "fp16", "fp8"};
static const char *const layout_names[LAB_GEMM_LAYOUTS] = {"nn", "tn"};

struct shape {
    size_t m, n, k;
};
static const struct shape shapes[] = {
    {1, 1, 1},       {3, 5, 7},       {1, 300, 40}, {127, 129, 65}, {128, 256, 64}, {200, 300, 77},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* with sanitizers these take a minute on a CPU */
    {72, 264, 1000}, {513, 511, 257},
#endif
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The state of checking all products. */
struct series {
    struct fixture *fixture;
    struct matmul_kernels kernels;
    struct shape shape;            /* of the current products */
    void *a, *b, *c, *product;     /* device memory; `product` is the exact product of integers */
    enum lab_gemm_content content; /* of a and b */
    bool prepared
        [MATMUL_STEPS][LAB_GEMM_TYPES]
        [LAB_GEMM_LAYOUTS]; /* whether the GEMM of this step, type and layout could be prepared for the previous shape */
    struct lab_latch *latch;
    struct lab_event *gate;     /* reached when the latch opens */
    struct lab_stream *control; /* the stream on which the latch is closed */
};

/* --- refused products --------------------------------------------------------------------------------------------- */

static void refuse(struct fixture *fixture, const struct lab_gemm *gemm, const char *what)
{
    const char *reference = matmul_reference(&fixture->device->facts)->name;
    struct lab_plan *plan = fixture->runtime->gemm->prepare(fixture->device, reference, gemm);
    expect(fixture, plan == NULL && fixture->device->error.code == LAB_ERROR_INVALID_ARGUMENT, "%s must be refused: %s",
           what, fixture->device->error.detail);
    fixture->runtime->plan_free(fixture->device, plan);
}

static void check_refusals(struct series *s)
{
    const struct lab_gemm right = {LAB_GEMM_FP32, LAB_GEMM_NN, 1, 1, 1, s->a, s->b, s->c};
    struct lab_gemm gemm = right;
    size_t *const sizes[] = {&gemm.m, &gemm.n, &gemm.k};
    for (size_t i = 0; i < 3; i++) {
        *sizes[i] = 0;
        refuse(s->fixture, &gemm, "a matrix without rows or columns");
        *sizes[i] = 65537;
        refuse(s->fixture, &gemm, "a matrix of 65537 rows or columns");
        *sizes[i] = 1;
    }
    gemm.a = NULL;
    refuse(s->fixture, &gemm, "a product whose A is NULL");
    gemm = right;
    gemm.b = NULL;
    refuse(s->fixture, &gemm, "a product whose B is NULL");
    gemm = right;
    gemm.c = NULL;
    refuse(s->fixture, &gemm, "a product whose C is NULL");
    gemm = right;
    gemm.a = (const char *)s->a + 4;
    refuse(s->fixture, &gemm, "a product whose A is not aligned");
}

/* If a step cannot be prepared, the error must contain a reason: a property of the device, the machine or the step. */
static void check_reason(struct series *s, const struct matmul_step *step, const struct lab_gemm *gemm)
{
    const struct lab_error *error = &s->fixture->device->error;
    expect(s->fixture, error->code == LAB_ERROR_UNSUPPORTED && strlen(error->detail) > 10 && strchr(error->detail, ' '),
           "%s %s %s at %zu x %zu x %zu must be refused as unsupported, with a reason: %s: %s", step->name,
           type_names[gemm->type], layout_names[gemm->layout], gemm->m, gemm->n, gemm->k, lab_error_name(error->code),
           error->detail);
    bool of_the_machine = strstr(error->detail, "compute capability") != NULL ||
                          strstr(error->detail, "this machine") != NULL || strstr(error->detail, "was built") != NULL ||
                          strstr(error->detail, "not installed") != NULL;
    bool of_the_layout = strstr(error->detail, "layout") != NULL;
    bool of_the_sizes = step->reference && gemm->type == LAB_GEMM_FP8 && (gemm->k % 16 != 0 || gemm->n % 16 != 0) &&
                        strstr(error->detail, "multiples of 16") != NULL;
    if (matmul_has(&s->fixture->device->facts, step, gemm->type))
        expect(s->fixture, of_the_machine || of_the_layout || of_the_sizes,
               "%s supports %s, so the reason must be the machine, the layout or the sizes: %s", step->name,
               type_names[gemm->type], error->detail);
}

/* --- products ----------------------------------------------------------------------------------------------------- */

static bool fill(struct series *s, enum lab_gemm_type type, enum lab_gemm_content content, size_t rows, size_t columns,
                 bool column_major, uint64_t seed, void *matrix)
{
    struct lab_gemm_fill what = {type, content, rows, columns, column_major, seed, matrix};
    return perform_plan(s->fixture, s->fixture->runtime->gemm->prepare_fill(s->fixture->device, &what));
}

/* Queues the plan while a latch is closed. Loading or allocating would block then, so preparing must have done it. */
static bool run_latched(struct series *s, struct lab_plan *plan)
{
    const struct lab_runtime *r = s->fixture->runtime;
    struct lab_device *d = s->fixture->device;
    bool timed_out = true;
    bool queued = r->latch_close(d, s->latch, s->control, 2) && r->event_record(d, s->gate, s->control) &&
                  r->stream_wait(d, s->fixture->stream, s->gate) && r->enqueue(d, plan, s->fixture->stream);
    r->latch_open(d, s->latch);
    bool done = expect_call(s->fixture,
                            queued && r->stream_synchronize(d, s->fixture->stream) &&
                                r->stream_synchronize(d, s->control) && r->latch_timed_out(d, s->latch, &timed_out),
                            "a product behind a latch");
    return done && expect(s->fixture, !timed_out, "a product must be queued while the latch is closed");
}

/* Compares all elements with dot products in double, as they are and with one that is wrong. */
static bool check_samples(struct series *s, const struct matmul_step *step, const struct lab_gemm *gemm)
{
    struct fixture *fixture = s->fixture;
    const unsigned char zeros[sizeof(double)] = {0};
    size_t bytes = lab_gemm_element_bytes(lab_gemm_result_type(gemm->type));
    for (uint64_t planted = 0; planted < 2; planted++) {
        uint64_t wrong = UINT64_MAX;
        const struct lab_gemm_sample what = {*gemm, 1, &wrong};
        if (planted == 1 && !write_memory(fixture, LAB_MEMORY_DEVICE, gemm->c, zeros, bytes))
            return false;
        if (!perform_plan(fixture, fixture->runtime->gemm->prepare_sample(fixture->device, &what)))
            return false;
        expect(fixture, wrong == planted, "%s %s %s of %zu x %zu x %zu: %llu far from the product in double, not %llu",
               step->name, type_names[gemm->type], layout_names[gemm->layout], gemm->m, gemm->n, gemm->k,
               (unsigned long long)wrong, (unsigned long long)planted);
    }
    return true;
}

static void check_product(struct series *s, const struct matmul_step *step, const struct lab_gemm *gemm,
                          struct lab_plan *plan)
{
    struct fixture *fixture = s->fixture;
    enum lab_gemm_type result = lab_gemm_result_type(gemm->type);
    size_t count = gemm->m * gemm->n, bytes = count * lab_gemm_element_bytes(result), changed = 0;
    unsigned char guard[GUARD_BYTES], *end = (unsigned char *)gemm->c + bytes;
    uint64_t wrong = UINT64_MAX;
    memset(guard, GUARD, sizeof guard);
    if (!write_memory(fixture, LAB_MEMORY_DEVICE, end, guard, sizeof guard) ||
        !fill(s, result, LAB_GEMM_POISON, gemm->m, gemm->n, false, 0, gemm->c) || !run_latched(s, plan) ||
        !read_memory(fixture, LAB_MEMORY_DEVICE, guard, end, sizeof guard))
        return;
    bool integers = s->content == LAB_GEMM_SMALL_INTS;
    struct lab_gemm_compare what = {result, count, gemm->c, integers ? s->product : NULL, &wrong};
    if (!perform_plan(fixture, fixture->runtime->gemm->prepare_compare(fixture->device, &what)) ||
        (!integers && !check_samples(s, step, gemm)))
        return;
    for (size_t i = 0; i < sizeof guard; i++)
        changed += guard[i] != GUARD;
    expect(fixture, wrong == 0 && changed == 0, "%s %s %s of %zu x %zu x %zu: %llu wrong, %zu bytes changed after C",
           step->name, type_names[gemm->type], layout_names[gemm->layout], gemm->m, gemm->n, gemm->k,
           (unsigned long long)wrong, changed);
}

static void check_step(struct series *s, const struct matmul_step *step, const struct lab_gemm *gemm)
{
    const struct lab_runtime *r = s->fixture->runtime;
    bool *before = &s->prepared[step - matmul_steps][gemm->type][gemm->layout],
         first = s->shape.m == 1 && s->shape.n == 1;
    bool sizes_matter = step->reference && gemm->type == LAB_GEMM_FP8;
    struct lab_kernel_record record;
    struct lab_plan *plan = matmul_kernels_prepare(&s->kernels, step, gemm, &record);
    bool prepared = plan != NULL;
    if (prepared)
        check_product(s, step, gemm, plan);
    else
        check_reason(s, step, gemm);
    r->plan_free(s->fixture->device, plan);
    expect(s->fixture, !prepared || matmul_has(&s->fixture->device->facts, step, gemm->type),
           "matmul must list that the runtime has %s %s", step->name, type_names[gemm->type]);
    expect(s->fixture, first || sizes_matter || prepared == *before,
           "%s %s %s must support %zu x %zu x %zu like the other sizes", step->name, type_names[gemm->type],
           layout_names[gemm->layout], gemm->m, gemm->n, gemm->k);
    *before = prepared;
}

static bool allocate(struct series *s)
{
    const struct lab_runtime *r = s->fixture->runtime;
    struct lab_device *d = s->fixture->device;
    size_t m = s->shape.m, n = s->shape.n, k = s->shape.k;
    return expect_call(s->fixture,
                       r->allocate(d, LAB_MEMORY_DEVICE, m * k * sizeof(double), &s->a) &&
                           r->allocate(d, LAB_MEMORY_DEVICE, k * n * sizeof(double), &s->b) &&
                           r->allocate(d, LAB_MEMORY_DEVICE, m * n * sizeof(double) + GUARD_BYTES, &s->c) &&
                           r->allocate(d, LAB_MEMORY_DEVICE, m * n * sizeof(int32_t), &s->product),
                       "allocate");
}

static void release(struct series *s)
{
    void **const memory[] = {&s->a, &s->b, &s->c, &s->product};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        s->fixture->runtime->free(s->fixture->device, LAB_MEMORY_DEVICE, *memory[i]);
        *memory[i] = NULL;
    }
}

/* Checks the products of a type and content in all layouts, by all steps. */
static void check_type(struct series *s, enum lab_gemm_type type, enum lab_gemm_content content)
{
    size_t m = s->shape.m, n = s->shape.n, k = s->shape.k;
    struct lab_gemm_fill what = {type, content, m, k, false, seed_a, s->a};
    struct lab_plan *plan = s->fixture->runtime->gemm->prepare_fill(s->fixture->device, &what);
    bool filled = plan != NULL && perform_plan(s->fixture, plan); /* if false, no step may support the type */
    s->content = content;
    for (int layout = 0; layout < LAB_GEMM_LAYOUTS && !s->fixture->device->lost; layout++) {
        if (filled && !fill(s, type, content, k, n, layout == LAB_GEMM_TN, seed_b, s->b))
            return;
        for (size_t i = 0; i < MATMUL_STEPS && !s->fixture->device->lost; i++)
            check_step(s, &matmul_steps[i],
                       &(struct lab_gemm){type, (enum lab_gemm_layout)layout, m, n, k, s->a, s->b, s->c});
    }
}

static void check_shape(struct series *s)
{
    struct lab_gemm_expected expected = {s->shape.m, s->shape.n, s->shape.k, seed_a, seed_b, s->product};
    if (!perform_plan(s->fixture, s->fixture->runtime->gemm->prepare_expected(s->fixture->device, &expected)))
        return;
    for (int type = 0; type < LAB_GEMM_TYPES; type++) {
        check_type(s, (enum lab_gemm_type)type, LAB_GEMM_SMALL_INTS);
        check_type(s, (enum lab_gemm_type)type, LAB_GEMM_NORMAL);
    }
}

/* Prints a line per step with the types and layouts that were checked. Returns the number of combinations. */
static unsigned show_prepared(const struct series *s)
{
    unsigned count = 0;
    for (int step = 0; step < MATMUL_STEPS; step++) {
        unsigned of_step = 0;
        for (int type = 0; type < LAB_GEMM_TYPES; type++)
            for (int layout = 0; layout < LAB_GEMM_LAYOUTS; layout++)
                if (s->prepared[step][type][layout])
                    printf("%s%s %s", of_step++ == 0 ? "" : ", ", type_names[type], layout_names[layout]);
        if (of_step > 0)
            printf(": products of %s, %d shapes\n", matmul_steps[step].name, SHAPES);
        count += of_step;
    }
    return count;
}

void check_gemm(struct fixture *fixture)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    struct series s = {.fixture = fixture, .kernels = {.device = d}};
    if (r->gemm == NULL)
        return;
    double start = now_s();
    s.latch = r->latch_create(d);
    s.gate = r->event_create(d);
    s.control = r->stream_create(d);
    if (expect_call(fixture, s.latch != NULL && s.gate != NULL && s.control != NULL, "latch_create")) {
        for (size_t i = 0; i < SHAPES && !d->lost; i++) {
            s.shape = shapes[i];
            if (allocate(&s)) {
                check_shape(&s);
                check_refusals(&s);
            }
            release(&s);
        }
        unsigned count = show_prepared(&s);
        expect(fixture, s.prepared[MATMUL_NAIVE][LAB_GEMM_FP32][LAB_GEMM_NN], "the naive step must support fp32");
        printf("products: %u of %d, in %.2f s\n", count, MATMUL_STEPS * LAB_GEMM_TYPES * LAB_GEMM_LAYOUTS,
               now_s() - start);
    }
    matmul_kernels_close(&s.kernels);
    r->stream_free(d, s.control);
    r->event_free(d, s.gate);
    r->latch_free(d, s.latch);
}

/* --- ceilings ----------------------------------------------------------------------------------------------------- */

/* The peak rate of the type according to the device's facts, of cores or tensor cores; NAN if unknown. */
static double peak_of(const struct lab_device_facts *facts, const struct lab_gemm_ceiling *ceiling)
{
    const double peaks[2][LAB_GEMM_TYPES] = {
        {[LAB_GEMM_FP32] = facts->fp32_peak_flops, [LAB_GEMM_FP64] = facts->fp64_peak_flops},
        {[LAB_GEMM_FP64] = facts->tensor_fp64_peak_flops,
         [LAB_GEMM_TF32] = facts->tensor_tf32_peak_flops,
         [LAB_GEMM_BF16] = facts->tensor_bf16_peak_flops,
         [LAB_GEMM_FP16] = facts->tensor_fp16_peak_flops,
         [LAB_GEMM_FP8] = facts->tensor_fp8_peak_flops},
    };
    return peaks[ceiling->tensor][ceiling->type];
}

/* Executes the plan several times and returns the shortest time in seconds. */
static double time_of(struct fixture *fixture, struct lab_plan *plan)
{
    enum { TIMES = 5 };
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    struct lab_event *start = r->event_create(d), *stop = r->event_create(d);
    double best = INFINITY, seconds = 0;
    for (int i = 0; i < TIMES; i++)
        if (expect_call(fixture,
                        r->event_record(d, start, fixture->stream) && r->enqueue(d, plan, fixture->stream) &&
                            r->event_record(d, stop, fixture->stream) && r->stream_synchronize(d, fixture->stream) &&
                            r->event_elapsed(d, start, stop, &seconds),
                        "timing a ceiling"))
            best = fmin(best, seconds);
    r->event_free(d, stop);
    r->event_free(d, start);
    return best;
}

static void check_ceiling(struct fixture *fixture, struct lab_gemm_ceiling what)
{
    bool cuda = strcmp(fixture->runtime->name, "cuda") == 0;
    char name[32];
    snprintf(name, sizeof name, "%s%s", type_names[what.type], what.tensor ? ", tensor cores" : "");
    struct lab_plan *plan = fixture->runtime->gemm->prepare_ceiling(fixture->device, &what);
    if (plan == NULL) {
        expect(fixture, what.tensor && fixture->device->error.code == LAB_ERROR_UNSUPPORTED,
               "the ceiling of %s must be measured or \"unsupported\": %s", name, fixture->device->error.detail);
        printf("ceiling: %s: %s\n", name, fixture->device->error.detail);
        return;
    }
    double seconds = time_of(fixture, plan), rate = what.operations / seconds;
    double peak = cuda ? peak_of(&fixture->device->facts, &what) : (double)NAN;
    fixture->runtime->plan_free(fixture->device, plan);
    printf("ceiling: %s: %.4g FLOP/s in %.2f ms, peak %.4g\n", name, rate, seconds * 1e3, peak);
    expect(fixture, rate > 0 && rate < 1e18, "the ceiling of %s must be plausible: %g", name, rate);
    expect(fixture, !cuda || (seconds > 1e-3 && seconds < 50e-3), "the ceiling of %s must take about 5 ms: %g s", name,
           seconds);
    if (!isnan(peak))
        expect(fixture, rate < 1.05 * peak && rate > 0.5 * peak,
               "the ceiling of %s, %g, must be 0.5 to 1.05 of the peak, %g", name, rate, peak);
}

void check_gemm_ceilings(struct fixture *fixture)
{
    static const struct lab_gemm_ceiling ceilings[] = {
        {LAB_GEMM_FP32, false, 0}, {LAB_GEMM_FP64, false, 0}, {LAB_GEMM_FP64, true, 0}, {LAB_GEMM_TF32, true, 0},
        {LAB_GEMM_BF16, true, 0},  {LAB_GEMM_FP16, true, 0},  {LAB_GEMM_FP8, true, 0}};
    if (fixture->runtime->gemm == NULL)
        return;
    for (size_t i = 0; i < sizeof ceilings / sizeof *ceilings && !fixture->device->lost; i++)
        check_ceiling(fixture, ceilings[i]);
}
