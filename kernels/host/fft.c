/* Fourier transforms by FFTW, if it is installed. It is loaded when a transform is prepared, and needed neither to
 * build nor to start gpulab. Its libraries for float and double are separate; either may be missing.
 *
 * FFTW's plan is that of one transform. The cores of the device execute it for the transforms of the batch, because
 * FFTW's own threads would run on other devices' cores. */
#include "entries.h"
#include "plan.h"

#include "core/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Declarations of fftw_plan_dft, fftw_plan_dft_r2c, fftw_execute_dft, fftw_execute_dft_r2c and fftw_destroy_plan, and
 * of the flags, as in fftw3.h. */
enum { FORWARD = -1, BACKWARD = 1, UNALIGNED = 1 << 1, PRESERVE_INPUT = 1 << 4, ESTIMATE = 1 << 6 };
typedef struct fftw_plan_s *fftw_plan;
typedef fftw_plan plan_complex(int rank, const int *n, void *input, void *output, int sign, unsigned flags);
typedef fftw_plan plan_real(int rank, const int *n, void *input, void *output, unsigned flags);
typedef void execute(fftw_plan plan, void *input, void *output);
typedef void destroy(fftw_plan plan);

/* The functions of the library of a type. */
struct fftw {
    union {
        void *addresses[5];
        struct {
            plan_complex *plan_complex;
            plan_real *plan_real;
            execute *execute_complex, *execute_real;
            destroy *destroy;
        };
    };
};

static const struct {
    const char *const *files, *symbols[5];
} libraries[] = {
    {lab_fftwf_names,
     {"fftwf_plan_dft", "fftwf_plan_dft_r2c", "fftwf_execute_dft", "fftwf_execute_dft_r2c", "fftwf_destroy_plan"}},
    {lab_fftw_names,
     {"fftw_plan_dft", "fftw_plan_dft_r2c", "fftw_execute_dft", "fftw_execute_dft_r2c", "fftw_destroy_plan"}},
};

static bool open_library(struct fftw *fftw, bool fp64, struct lab_error *error)
{
    enum { FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
    void *library = NULL;
    for (size_t i = 0; library == NULL && libraries[fp64].files[i] != NULL; i++)
        library = dlopen(libraries[fp64].files[i], FLAGS);
    if (library == NULL)
        return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "FFTW for %s is not installed: %s is missing",
                             fp64 ? "fp64" : "fp32", libraries[fp64].files[0]);
    bool complete = true;
    for (size_t i = 0; i < sizeof fftw->addresses / sizeof *fftw->addresses; i++) {
        fftw->addresses[i] = dlsym(library, libraries[fp64].symbols[i]);
        complete = complete && fftw->addresses[i] != NULL;
    }
    dlclose(library); /* the library stays loaded because of RTLD_NODELETE */
    return complete ||
           lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "the installed FFTW lacks functions of version 3");
}

// region transform
struct fft_plan {
    struct lab_plan base;
    struct lab_fft fft;
    struct fftw fftw;
    fftw_plan one; /* of one transform of the batch */
};

/* Executes transforms of the batch. */
static void transform(void *context, size_t begin, size_t end)
{
    const struct fft_plan *plan = context;
    const struct lab_fft *fft = &plan->fft;
    size_t number = fft->fp64 ? sizeof(double) : sizeof(float), rows = fft->dimensions == 2 ? fft->n : 1;
    size_t in_bytes = rows * fft->n * number * (fft->real ? 1 : 2);
    size_t out_bytes = rows * (fft->real ? fft->n / 2 + 1 : fft->n) * 2 * number;
    execute *execute_one = fft->real ? plan->fftw.execute_real : plan->fftw.execute_complex;
    for (size_t i = begin; i < end; i++)
        execute_one(plan->one, (char *)(uintptr_t)fft->input + i * in_bytes, (char *)fft->output + i * out_bytes);
}
// end

static void run(struct lab_plan *base)
{
    struct fft_plan *plan = (struct fft_plan *)(void *)base;
    lab_host_pool_run(&base->device->pool, plan->fft.batch, 1, transform, plan);
}

static void release(struct lab_plan *base)
{
    struct fft_plan *plan = (struct fft_plan *)(void *)base;
    if (plan->one != NULL)
        plan->fftw.destroy(plan->one);
    free(plan);
}

/* Makes FFTW's plan without trying transforms, which would overwrite the arrays. */
static bool make_plan(struct fft_plan *plan, struct lab_error *error)
{
    enum { FLAGS = ESTIMATE | UNALIGNED };
    const struct lab_fft *fft = &plan->fft;
    const int n[LAB_FFT_DIMENSIONS_MAX] = {(int)fft->n, (int)fft->n};
    void *input = (void *)(uintptr_t)fft->input;
    unsigned flags = input == fft->output ? FLAGS : FLAGS | PRESERVE_INPUT;
    if (!open_library(&plan->fftw, fft->fp64, error))
        return false;
    plan->one = fft->real ? plan->fftw.plan_real((int)fft->dimensions, n, input, fft->output, flags)
                          : plan->fftw.plan_complex((int)fft->dimensions, n, input, fft->output,
                                                    fft->inverse ? BACKWARD : FORWARD, flags);
    return plan->one != NULL || lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "FFTW cannot plan this transform");
}

static struct lab_plan *prepare(struct lab_device *device, const struct lab_fft *fft)
{
    struct lab_plan *base =
        lab_host_alive(device) ? lab_host_plan_create(device, sizeof(struct fft_plan), run, release) : NULL;
    if (base == NULL)
        return NULL;
    struct fft_plan *plan = (struct fft_plan *)(void *)base;
    plan->fft = *fft;
    if (make_plan(plan, &device->error))
        return base;
    release(base);
    return NULL;
}

const struct lab_runtime_fft lab_host_fft = {.prepare = prepare};
