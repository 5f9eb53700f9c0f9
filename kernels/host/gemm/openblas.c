/* Products by OpenBLAS, if it is installed. It is loaded when a product is prepared, and needed neither to build nor to
 * start gpulab.
 *
 * Each core of the device computes a part of C with a single-threaded call. OpenBLAS's own threads are not used,
 * because there is one set of them in a process: they would run on other devices' cores and work for one device at a
 * time. */
#include "element.h"

#include "core/library.h"

#include <dlfcn.h>

/* Declarations of cblas_sgemm and cblas_dgemm as in cblas.h, with 32-bit integers. */
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, TRANSPOSED = 112 };
typedef void cblas_gemm(int order, int transpose_a, int transpose_b, int m, int n, int k, element alpha,
                        const element *a, int lda, const element *b, int ldb, element beta, element *c, int ldc);
typedef void openblas_set_num_threads(int threads);

static bool prepare(struct host_gemm *gemm, struct lab_error *error)
{
    enum { FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
    void *library = NULL;
    for (size_t i = 0; library == NULL && lab_openblas_names[i] != NULL; i++)
        library = dlopen(lab_openblas_names[i], FLAGS);
    if (library == NULL)
        return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "OpenBLAS is not installed");
    gemm->library.multiply = dlsym(library, sizeof(element) == sizeof(double) ? "cblas_dgemm" : "cblas_sgemm");
    gemm->library.set_threads = dlsym(library, "openblas_set_num_threads");
    dlclose(library); /* the library stays loaded because of RTLD_NODELETE */
    return gemm->library.multiply != NULL ||
           lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "the installed OpenBLAS does not have the CBLAS interface");
}

/* C is divided into a grid of parts, one per core; this is the number of rows of the grid. It is chosen so that the
 * parts are as square as possible, because a square part reads the least of A and B. */
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

/* Computes the part of C from (top, left) up to, but not including, (bottom, right). */
static void multiply(const struct host_gemm *gemm, size_t top, size_t left, size_t bottom, size_t right)
{
    cblas_gemm *library = (cblas_gemm *)gemm->library.multiply;
    bool column_major = gemm->layout == LAB_GEMM_TN;
    int n = (int)gemm->c.columns, k = (int)gemm->a.columns;
    if (top < bottom && left < right)
        library(ROW_MAJOR, NOT_TRANSPOSED, column_major ? TRANSPOSED : NOT_TRANSPOSED, (int)(bottom - top),
                (int)(right - left), k, 1, at(&gemm->a, top, 0), k, at(&gemm->b, 0, left), column_major ? k : n, 0,
                at(&gemm->c, top, left), n);
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

const struct host_gemm_method LAB_NAME = {.prepare = prepare, .run = run};
