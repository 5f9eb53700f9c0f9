/* OpenBLAS, where it is installed: looked for when a product is made ready, needed neither to build nor to start.
 *
 * Each core of the device computes its own part of C, by a call that stays on that core. OpenBLAS's own threads belong to
 * the whole process: they would leave the cores of the device, and serve one device at a time. */
#include "element.h"

#include <dlfcn.h>

/* cblas_sgemm or cblas_dgemm, as cblas.h has them where integers are of 32 bits. */
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };
typedef void cblas_gemm(int order, int transpose_a, int transpose_b, int m, int n, int k, element alpha,
                        const element *a, int lda, const element *b, int ldb, element beta, element *c, int ldc);
typedef void openblas_set_num_threads(int threads);

static bool prepare(struct host_gemm *gemm, struct lab_error *error)
{
    enum { FOR_GOOD = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
    void *library = dlopen("libopenblas.so.0", FOR_GOOD);
    if (library == NULL)
        library = dlopen("libopenblas.so", FOR_GOOD);
    if (library == NULL)
        return lab_error_set(error, "unsupported", "", "OpenBLAS is not installed here");
    gemm->library.multiply = dlsym(library, sizeof(element) == sizeof(double) ? "cblas_dgemm" : "cblas_sgemm");
    gemm->library.set_threads = dlsym(library, "openblas_set_num_threads");
    dlclose(library); /* it stays all the same, and so do its functions */
    return gemm->library.multiply != NULL ||
           lab_error_set(error, "unsupported", "", "the OpenBLAS that is installed here lacks the CBLAS interface");
}

/* Into how many rows of parts C is cut: the squarer the parts, the less of A and B each of them reads. */
static size_t rows_of_parts(const struct host_gemm *gemm)
{
    size_t best = 1, least = SIZE_MAX;
    for (size_t rows = 1; rows <= gemm->cores; rows++) {
        size_t lines = gemm->c.rows / rows + gemm->c.columns / (gemm->cores / rows);
        if (gemm->cores % rows != 0 || lines >= least)
            continue;
        best = rows;
        least = lines;
    }
    return best;
}

/* The part of C from (top, left) to before (bottom, right). */
static void multiply(const struct host_gemm *gemm, size_t top, size_t left, size_t bottom, size_t right)
{
    cblas_gemm *library = (cblas_gemm *)gemm->library.multiply;
    bool by_columns = gemm->layout == LAB_GEMM_TN;
    int n = (int)gemm->c.columns, k = (int)gemm->a.columns;
    if (top < bottom && left < right)
        library(ROW_MAJOR, AS_IT_IS, by_columns ? TRANSPOSED : AS_IT_IS, (int)(bottom - top), (int)(right - left), k, 1,
                at(&gemm->a, top, 0), k, at(&gemm->b, 0, left), by_columns ? k : n, 0, at(&gemm->c, top, left), n);
}

static void multiply_parts(void *context, size_t begin, size_t end)
{
    const struct host_gemm *gemm = context;
    openblas_set_num_threads *set_threads = (openblas_set_num_threads *)gemm->library.set_threads;
    size_t m = gemm->c.rows, n = gemm->c.columns;
    size_t rows = rows_of_parts(gemm), columns = gemm->cores / rows;
    if (set_threads != NULL)
        set_threads(1);
    for (size_t part = begin; part < end; part++) {
        size_t row = part / columns, column = part % columns;
        multiply(gemm, m * row / rows, n * column / columns, m * (row + 1) / rows, n * (column + 1) / columns);
    }
}

static void run(struct host_gemm *gemm)
{
    size_t work = gemm->c.rows * gemm->c.columns * gemm->a.columns;
    lab_host_gemm_share(gemm, gemm->cores, work / gemm->cores + 1, multiply_parts, gemm);
}

const struct host_gemm_step LAB_NAME = {.prepare = prepare, .run = run};
