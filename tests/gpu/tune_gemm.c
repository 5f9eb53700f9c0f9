/* Finds the fastest way in which wgmma, or mma for fp64, divides a product, for the table in
 * kernels/cuda/gemm/wgmma/table.h: measures all shapes of blocks and the divisions along k that can be worth it,
 * verifies each against the exact product of small integers, and compares the fastest with cuBLAS, in rounds of random
 * order.
 *
 *   gpulab-tune-gemm [--verify | --fit] [TYPE [SIZE…]]
 *
 * TYPE is fp64, tf32, bf16, fp16, fp8 or all (the default); a SIZE is N, for a square, or MxNxK; the default are the
 * squares from 512 to 16384. Prints a row of the table for each product, with the throughput and its share of cuBLAS's
 * in a comment, and the other candidates on stderr. With --verify it does not measure, and prints only what is wrong.
 * With --fit it prints the time of each candidate that is not slow, for the costs of the rule (choice.c). Exits with 77
 * if there is no GPU, with 1 if a result was wrong, with 2 if something fails. */
#include "plain_side.h"

#include "cuda/gemm/gemm.h"
#include "cuda/gemm/wgmma/choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MAX = 256, ROUNDS = 5, FINAL_ROUNDS = 21, FINALISTS = 5, PRODUCTS_MAX = 400, BANDS = 3 };

static const double loop_s = 3e-3, final_loop_s = 20e-3; /* approximate duration of a loop of products */
static const double slow = 1.3; /* a candidate that takes so much longer than the best one is not measured again */

static const struct {
    const char *name, *constant;
    enum lab_gemm_type type;
    unsigned layouts;
} types[] = {
    {"fp64", "LAB_GEMM_FP64", LAB_GEMM_FP64, 3},
    {"tf32", "LAB_GEMM_TF32", LAB_GEMM_TF32, 3},
    {"bf16", "LAB_GEMM_BF16", LAB_GEMM_BF16, 3},
    {"fp16", "LAB_GEMM_FP16", LAB_GEMM_FP16, 3},
    {"fp8", "LAB_GEMM_FP8", LAB_GEMM_FP8, CUDA_GEMM_BIT(LAB_GEMM_TN)},
};
enum { TYPES = sizeof types / sizeof *types };

struct size {
    uint32_t m, n, k;
};
static const struct size usual_sizes[] = {{512, 512, 512},    {1024, 1024, 1024}, {2048, 2048, 2048},
                                          {4096, 4096, 4096}, {8192, 8192, 8192}, {16384, 16384, 16384}};

/* A way to compute the product; cuBLAS has the lab's plan instead of a choice. */
struct candidate {
    struct wgmma_choice choice;
    struct cuda_gemm gemm;
    double times[FINAL_ROUNDS];
    double median;
};

struct tuner {
    struct plain_side lab;
    cudaEvent_t start, stop;
    struct lab_gemm gemm; /* the product, by cuBLAS */
    struct lab_plan *cublas;
    void *exact;
    enum { TUNE, VERIFY, FIT } mode;
    struct candidate candidates[CANDIDATES_MAX];
    size_t count, wrong;
};

/* --- the product -------------------------------------------------------------------------------------------------- */

static void fill(struct tuner *t, enum lab_gemm_content content)
{
    const struct lab_gemm *g = &t->gemm;
    const struct lab_gemm_fill a = {g->type, content, g->m, g->k, false, 1, (void *)g->a};
    const struct lab_gemm_fill b = {g->type, content, g->k, g->n, g->layout == LAB_GEMM_TN, 2, (void *)g->b};
    lab_side_perform(&t->lab, t->lab.runtime->gemm->prepare_fill(t->lab.device, &a), "filling A");
    lab_side_perform(&t->lab, t->lab.runtime->gemm->prepare_fill(t->lab.device, &b), "filling B");
}

static void open_product(struct tuner *t, enum lab_gemm_type type, enum lab_gemm_layout layout, const struct size *size)
{
    size_t element = lab_gemm_element_bytes(type), m = size->m, n = size->n, k = size->k;
    t->gemm = (struct lab_gemm){type, layout, m, n, k, NULL, NULL, NULL};
    t->gemm.a = lab_side_allocate(&t->lab, m * k * element);
    t->gemm.b = lab_side_allocate(&t->lab, k * n * element);
    t->gemm.c = lab_side_allocate(&t->lab, m * n * lab_gemm_element_bytes(lab_gemm_result_type(type)));
    t->exact = lab_side_allocate(&t->lab, m * n * sizeof(int32_t));
    const struct lab_gemm_expected expected = {m, n, k, 1, 2, t->exact};
    lab_side_perform(&t->lab, t->lab.runtime->gemm->prepare_expected(t->lab.device, &expected), "the exact product");
    t->cublas = t->lab.runtime->gemm->prepare(t->lab.device, "cublas", &t->gemm); /* NULL: cuBLAS does not compute it */
}

static void close_product(struct tuner *t)
{
    void *const memory[] = {(void *)t->gemm.a, (void *)t->gemm.b, t->gemm.c, t->exact};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        t->lab.runtime->free(t->lab.device, LAB_MEMORY_DEVICE, memory[i]);
    t->lab.runtime->plan_free(t->lab.device, t->cublas);
    t->cublas = NULL;
}

/* --- candidates --------------------------------------------------------------------------------------------------- */

static struct wgmma_product product_of(const struct tuner *t)
{
    const struct lab_gemm *g = &t->gemm;
    return lab_cuda_wgmma_product(g->type, g->layout, (uint32_t)g->m, (uint32_t)g->n, (uint32_t)g->k,
                                  (uint32_t)t->lab.device->facts.multiprocessors);
}

static void add_candidate(struct tuner *t, struct wgmma_choice choice)
{
    struct candidate *c = &t->candidates[t->count];
    const char *why = NULL;
    if (t->count == CANDIDATES_MAX)
        fail("candidates", "too many");
    *c = (struct candidate){.choice = choice};
    c->gemm = (struct cuda_gemm){.type = t->gemm.type,
                                 .layout = t->gemm.layout,
                                 .m = (uint32_t)t->gemm.m,
                                 .n = (uint32_t)t->gemm.n,
                                 .k = (uint32_t)t->gemm.k,
                                 .a = t->gemm.a,
                                 .b = t->gemm.b,
                                 .c = t->gemm.c,
                                 .multiprocessors = (int)t->lab.device->facts.multiprocessors,
                                 .choice = &c->choice};
    must(lab_cuda_gemm_wgmma.prepare(&c->gemm, &why), why != NULL ? why : "preparing a candidate");
    t->count++;
}

static void drop_candidate(struct tuner *t, size_t index)
{
    lab_cuda_gemm_wgmma.discard(&t->candidates[index].gemm);
    t->candidates[index] = t->candidates[--t->count];
    t->candidates[index].gemm.choice = &t->candidates[index].choice;
}

/* Tiles are divided along k if there are too few for the device, or if the last wave is not full; the order of the
 * tiles matters if there are several waves. */
static void add_candidates(struct tuner *t)
{
    static const uint32_t splits[] = {2, 3, 4, 6, 8, 12, 16, 32, 64, 128}, bands[BANDS] = {8, 4, 16};
    const struct wgmma_product product = product_of(t);
    for (int shape = 0; shape < WGMMA_SHAPE_COUNT; shape++) {
        if (!lab_cuda_wgmma_shape_is_for((enum wgmma_shape)shape, t->gemm.type))
            continue;
        const struct wgmma_shape_size *size = lab_cuda_wgmma_shape_size((enum wgmma_shape)shape);
        const struct wgmma_choice whole = {(enum wgmma_shape)shape, 1, 8};
        struct wgmma_schedule s = lab_cuda_wgmma_schedule(&product, &whole);
        uint32_t tiles = s.rows * s.columns;
        uint32_t fit = product.multiprocessors * size->blocks / (size->cluster_m * size->cluster_n);
        for (size_t i = 0; i < (tiles > fit ? BANDS : 1); i++)
            add_candidate(t, (struct wgmma_choice){(enum wgmma_shape)shape, 1, bands[i]});
        if (tiles % fit != 0)
            add_candidate(t, (struct wgmma_choice){(enum wgmma_shape)shape, WGMMA_STREAM, 8});
        for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
            if (tiles * splits[i] <= fit + fit / 4 && splits[i] * 2 <= s.steps)
                add_candidate(t, (struct wgmma_choice){(enum wgmma_shape)shape, splits[i], 8});
    }
}

/* Computes the product of small integers and compares it with the exact one. Returns the number of wrong elements. */
static uint64_t wrong_elements(struct tuner *t, const struct candidate *c)
{
    enum lab_gemm_type type = lab_gemm_result_type(t->gemm.type);
    uint64_t wrong = UINT64_MAX;
    const struct lab_gemm_fill poison = {type, LAB_GEMM_POISON, t->gemm.m, t->gemm.n, false, 0, t->gemm.c};
    const struct lab_gemm_compare compare = {type, t->gemm.m * t->gemm.n, t->gemm.c, t->exact, &wrong};
    lab_side_perform(&t->lab, t->lab.runtime->gemm->prepare_fill(t->lab.device, &poison), "poisoning C");
    must(lab_cuda_gemm_wgmma.launch(&c->gemm, (cudaStream_t)t->lab.stream), "launching a candidate");
    must(cudaStreamSynchronize((cudaStream_t)t->lab.stream), "a candidate");
    lab_side_perform(&t->lab, t->lab.runtime->gemm->prepare_compare(t->lab.device, &compare), "comparing");
    return wrong;
}

static void show(FILE *file, const struct tuner *t, const struct candidate *c)
{
    char text[64];
    lab_cuda_wgmma_describe(&c->choice, t->gemm.type, text, sizeof text);
    fprintf(file, "%-40s band %2" PRIu32 " %10.2f us %8.1f TFLOP/s\n", text, c->choice.band, c->median * 1e6,
            2e-12 * (double)t->gemm.m * (double)t->gemm.n * (double)t->gemm.k / c->median);
}

static void verify(struct tuner *t)
{
    fill(t, LAB_GEMM_SMALL_INTS);
    for (size_t i = 0; i < t->count;) {
        uint64_t wrong = wrong_elements(t, &t->candidates[i]);
        if (wrong == 0) {
            i++;
            continue;
        }
        t->wrong++;
        fprintf(stderr, "WRONG, %" PRIu64 " elements of %zu x %zu x %zu: ", wrong, t->gemm.m, t->gemm.n, t->gemm.k);
        t->candidates[i].median = 1;
        show(stderr, t, &t->candidates[i]);
        drop_candidate(t, i);
    }
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static void launch(struct tuner *t, const struct candidate *c)
{
    if (c != NULL)
        must(lab_cuda_gemm_wgmma.launch(&c->gemm, (cudaStream_t)t->lab.stream), "launching a candidate");
    else
        must_lab(t->lab.device, t->lab.runtime->enqueue(t->lab.device, t->cublas, t->lab.stream), "cuBLAS");
}

/* The time of one of `count` products in a row; c NULL: by cuBLAS. */
static double time_of(struct tuner *t, const struct candidate *c, size_t count)
{
    float milliseconds;
    must(cudaEventRecord(t->start, (cudaStream_t)t->lab.stream), "record");
    for (size_t i = 0; i < count; i++)
        launch(t, c);
    must(cudaEventRecord(t->stop, (cudaStream_t)t->lab.stream), "record");
    must(cudaEventSynchronize(t->stop), "synchronize");
    must(cudaEventElapsedTime(&milliseconds, t->start, t->stop), "elapsed time");
    return (double)milliseconds * 1e-3 / (double)count;
}

static size_t products_for(double seconds, double each_s)
{
    double count = seconds / each_s;
    return count < 1 ? 1 : count > PRODUCTS_MAX ? PRODUCTS_MAX : (size_t)count;
}

static int by_median(const void *a, const void *b)
{
    double x = ((const struct candidate *)a)->median, y = ((const struct candidate *)b)->median;
    return x < y ? -1 : x > y;
}

/* Sorts the first `count` candidates. */
static void sort(struct tuner *t, size_t count)
{
    qsort(t->candidates, count, sizeof *t->candidates, by_median);
    for (size_t i = 0; i < count; i++)
        t->candidates[i].gemm.choice = &t->candidates[i].choice;
}

/* Measures all candidates once, and those that are not slow in rounds. Returns how many these are; they come first. */
static size_t measure(struct tuner *t)
{
    size_t left = t->count;
    fill(t, LAB_GEMM_NORMAL);
    for (size_t i = 0; i < t->count; i++) {
        double first = time_of(t, &t->candidates[i], 1);
        first = time_of(t, &t->candidates[i], 2) < first ? time_of(t, &t->candidates[i], 2) : first;
        t->candidates[i].median = time_of(t, &t->candidates[i], products_for(loop_s, first));
    }
    sort(t, t->count);
    while (left > 1 && t->candidates[left - 1].median > slow * t->candidates[0].median)
        left--;
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < left; i++)
            t->candidates[i].times[round] =
                time_of(t, &t->candidates[i], products_for(loop_s, t->candidates[i].median));
    for (size_t i = 0; i < left; i++)
        t->candidates[i].median = median(t->candidates[i].times, ROUNDS);
    sort(t, left);
    return left;
}

/* Sets `order` to a random permutation of the numbers below `count`; each run of the program has the same ones. */
static void shuffle(size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)rand() % (i + 1);
        if (j < i)
            order[i] = order[j];
        order[j] = i;
    }
}

/* Measures the fastest candidates again, in rounds with cuBLAS, whose median time is returned; 0 if it does not compute
 * the product. A large product is slower after one that took more power, so the order is another one in each round. */
static double compare_with_cublas(struct tuner *t)
{
    size_t finalists = t->count < FINALISTS ? t->count : FINALISTS, order[FINALISTS + 1];
    size_t count = products_for(final_loop_s, t->candidates[0].median);
    double times[FINAL_ROUNDS] = {0};
    for (size_t round = 0; round < FINAL_ROUNDS; round++) {
        shuffle(order, finalists + 1);
        for (size_t i = 0; i <= finalists; i++)
            if (order[i] < finalists)
                t->candidates[order[i]].times[round] = time_of(t, &t->candidates[order[i]], count);
            else if (t->cublas != NULL)
                times[round] = time_of(t, NULL, count);
    }
    for (size_t i = 0; i < finalists; i++)
        t->candidates[i].median = median(t->candidates[i].times, FINAL_ROUNDS);
    sort(t, finalists);
    return median(times, FINAL_ROUNDS);
}

/* Prints the fastest candidate as a row of the table, and others on stderr. */
static void print_row(const struct tuner *t, size_t type, double cublas)
{
    const struct candidate *best = &t->candidates[0];
    const struct lab_gemm *g = &t->gemm;
    const struct wgmma_product product = product_of(t);
    char split[16] = "WGMMA_STREAM";
    fprintf(stderr, "%s %s %zu x %zu x %zu: cuBLAS %.2f us\n", types[type].name, g->layout == LAB_GEMM_TN ? "tn" : "nn",
            g->m, g->n, g->k, cublas * 1e6);
    for (size_t i = 0; i < t->count && i < 8; i++)
        show(stderr, t, &t->candidates[i]);
    if (best->choice.split != WGMMA_STREAM)
        snprintf(split, sizeof split, "%" PRIu32, best->choice.split);
    printf("    {%s, %s, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", {%s, %s, %" PRIu32
           "}}, /* %.1f TFLOP/s, %.3f of cuBLAS */\n",
           types[type].constant, g->layout == LAB_GEMM_TN ? "LAB_GEMM_TN" : "LAB_GEMM_NN", product.m, product.n,
           product.k, lab_cuda_wgmma_shape_size(best->choice.shape)->name, split, best->choice.band,
           2e-12 * (double)g->m * (double)g->n * (double)g->k / best->median, cublas / best->median);
}

/* Prints the product as the kernel computes it, by what it is computed, and the time. A split of 0 is stream-k. */
static void print_time(const struct tuner *t, size_t type, const char *by, uint32_t split, uint32_t band, double time)
{
    const struct wgmma_product product = product_of(t);
    printf("%s %s %" PRIu32 " %" PRIu32 " %" PRIu32 " %s %" PRIu32 " %" PRIu32 " %.3f\n", types[type].name,
           t->gemm.layout == LAB_GEMM_TN ? "tn" : "nn", product.m, product.n, product.k, by, split, band, time * 1e6);
}

/* Prints a line for each of the first `count` candidates, and one for cuBLAS if it computes the product. */
static void print_times(struct tuner *t, size_t type, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct wgmma_choice *choice = &t->candidates[i].choice;
        print_time(t, type, lab_cuda_wgmma_shape_size(choice->shape)->name, choice->split, choice->band,
                   t->candidates[i].median);
    }
    if (t->cublas == NULL)
        return;
    double times[ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++)
        times[round] = time_of(t, NULL, products_for(loop_s, t->candidates[0].median));
    print_time(t, type, "cuBLAS", 1, 0, median(times, ROUNDS));
}

static void tune(struct tuner *t, size_t type, enum lab_gemm_layout layout, const struct size *size)
{
    open_product(t, types[type].type, layout, size);
    add_candidates(t);
    verify(t);
    if (t->count > 0 && t->mode != VERIFY) {
        size_t left = measure(t);
        if (t->mode == FIT)
            print_times(t, type, left);
        else
            print_row(t, type, compare_with_cublas(t));
        fflush(stdout);
    }
    while (t->count > 0)
        drop_candidate(t, t->count - 1);
    close_product(t);
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static struct size size_of(const char *text)
{
    struct size size;
    int found = sscanf(text, "%" SCNu32 "x%" SCNu32 "x%" SCNu32, &size.m, &size.n, &size.k);
    if (found == 1)
        size.n = size.k = size.m;
    else if (found != 3)
        fail(text, "a size is N or MxNxK");
    return size;
}

int main(int argc, char **argv)
{
    static struct tuner t;
    if (argc > 1 && strcmp(argv[1], "--verify") == 0)
        t.mode = VERIFY;
    else if (argc > 1 && strcmp(argv[1], "--fit") == 0)
        t.mode = FIT;
    argc -= t.mode != TUNE;
    argv += t.mode != TUNE;
    const char *only = argc > 1 ? argv[1] : "all";
    size_t given = argc > 2 ? (size_t)argc - 2 : 0,
           sizes = given > 0 ? given : sizeof usual_sizes / sizeof *usual_sizes;
    bool found = false;
    if (!lab_side_open(&t.lab))
        return SKIPPED;
    must(cudaEventCreate(&t.start), "event");
    must(cudaEventCreate(&t.stop), "event");
    for (size_t type = 0; type < TYPES; type++) {
        if (strcmp(only, "all") != 0 && strcmp(only, types[type].name) != 0)
            continue;
        found = true;
        for (int layout = 0; layout < LAB_GEMM_LAYOUTS; layout++)
            for (size_t i = 0; i < sizes && (types[type].layouts & CUDA_GEMM_BIT(layout)) != 0; i++) {
                const struct size size = given > 0 ? size_of(argv[2 + i]) : usual_sizes[i];
                tune(&t, type, (enum lab_gemm_layout)layout, &size);
            }
    }
    if (!found)
        fail(only, "a type is fp64, tf32, bf16, fp16, fp8 or all");
    lab_side_close(&t.lab);
    return t.wrong > 0 ? 1 : 0;
}
