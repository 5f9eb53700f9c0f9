#include "support/gemm_harness.h"

const enum lab_gemm_type types[2] = {LAB_GEMM_FP32, LAB_GEMM_FP64};

const struct shape shapes[22] = {{1, 1, 1},    {1, 7, 3},     {5, 1, 9},      {2, 3, 1},     {1, 1, 700},
                                 {8, 8, 8},    {32, 32, 32},  {7, 9, 15},     {17, 31, 33},  {100, 50, 300},
                                 {3, 1000, 5}, {1000, 3, 11}, {129, 65, 257}, {300, 97, 41}, {64, 128, 520},
                                 {1, 7, 17},   {7, 17, 100},  {17, 100, 1},   {100, 1, 7},   {100, 100, 100},
                                 {17, 1, 100}, {600, 700, 9}};

static size_t c_bytes(const struct product *p)
{
    return p->shape.m * p->shape.n * lab_gemm_element_bytes(p->type);
}

void *c_of(const struct product *p)
{
    return p->guarded_c + GUARD;
}

void assert_guards_untouched(const struct product *p)
{
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(p->guarded_c[i], 0xAA);
        assert_int_equal(p->guarded_c[GUARD + c_bytes(p) + i], 0xAA);
    }
}

void run_plan(struct lab_device *device, struct lab_stream *stream, struct lab_plan *plan)
{
    succeed(device, plan != NULL);
    succeed(device, runtime->enqueue(device, plan, stream));
    succeed(device, runtime->stream_synchronize(device, stream));
    runtime->plan_free(device, plan);
}

void fill_matrix(const struct product *p, struct lab_gemm_fill what)
{
    what.type = p->type;
    run_plan(p->device, p->stream, runtime->gemm->prepare_fill(p->device, &what));
}

void poison_product(const struct product *p)
{
    fill_matrix(p, (struct lab_gemm_fill){
                       .content = LAB_GEMM_POISON, .rows = p->shape.m, .columns = p->shape.n, .matrix = c_of(p)});
}

uint64_t wrong_elements(const struct product *p, const int32_t *product)
{
    uint64_t wrong = UINT64_MAX;
    const struct lab_gemm_compare what = {p->type, p->shape.m * p->shape.n, c_of(p), product, &wrong};
    run_plan(p->device, p->stream, runtime->gemm->prepare_compare(p->device, &what));
    return wrong;
}

struct product open_product(struct lab_device *device, struct shape shape, enum lab_gemm_type type,
                            enum lab_gemm_layout layout)
{
    struct product p = {
        .device = device, .stream = runtime->stream_create(device), .shape = shape, .type = type, .layout = layout};
    size_t bytes = lab_gemm_element_bytes(type);
    p.a = allocate(device, LAB_MEMORY_DEVICE, shape.m * shape.k * bytes);
    p.b = allocate(device, LAB_MEMORY_DEVICE, shape.k * shape.n * bytes);
    p.guarded_c = allocate(device, LAB_MEMORY_DEVICE, c_bytes(&p) + 2 * GUARD);
    p.expected = allocate(device, LAB_MEMORY_DEVICE, shape.m * shape.n * sizeof(int32_t));
    memset(p.guarded_c, 0xAA, c_bytes(&p) + 2 * GUARD);
    memset(p.expected, 0x55, shape.m * shape.n * sizeof(int32_t));
    fill_matrix(
        &p, (struct lab_gemm_fill){
                .content = LAB_GEMM_SMALL_INTS, .rows = shape.m, .columns = shape.k, .seed = SEED_A, .matrix = p.a});
    fill_matrix(&p, (struct lab_gemm_fill){.content = LAB_GEMM_SMALL_INTS,
                                           .rows = shape.k,
                                           .columns = shape.n,
                                           .column_major = layout == LAB_GEMM_TN,
                                           .seed = SEED_B,
                                           .matrix = p.b});
    run_plan(device, p.stream,
             runtime->gemm->prepare_expected(
                 device, &(struct lab_gemm_expected){shape.m, shape.n, shape.k, SEED_A, SEED_B, p.expected}));
    poison_product(&p);
    return p;
}

void close_product(struct product *p)
{
    runtime->stream_free(p->device, p->stream);
    runtime->free(p->device, LAB_MEMORY_DEVICE, p->a);
    runtime->free(p->device, LAB_MEMORY_DEVICE, p->b);
    runtime->free(p->device, LAB_MEMORY_DEVICE, p->guarded_c);
    runtime->free(p->device, LAB_MEMORY_DEVICE, p->expected);
}

double element_of(const struct product *p, const void *matrix, size_t i)
{
    return p->type == LAB_GEMM_FP64 ? ((const double *)matrix)[i] : (double)((const float *)matrix)[i];
}
