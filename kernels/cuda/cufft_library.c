/* Loads cuFFT. */
#include "cufft_library.h"

#include "core/library.h"

static const struct lab_library_symbol symbols[] = {
    {offsetof(struct cufft, create), "cufftCreate"},
    {offsetof(struct cufft, destroy), "cufftDestroy"},
    {offsetof(struct cufft, make_plan), "cufftMakePlanMany64"},
    {offsetof(struct cufft, set_stream), "cufftSetStream"},
    {offsetof(struct cufft, transform_complex), "cufftExecC2C"},
    {offsetof(struct cufft, transform_complex_fp64), "cufftExecZ2Z"},
    {offsetof(struct cufft, transform_real), "cufftExecR2C"},
    {offsetof(struct cufft, transform_real_fp64), "cufftExecD2Z"},
};

bool lab_cuda_cufft_open(struct cufft *cufft, char *why, size_t why_size)
{
    const struct lab_library library = {lab_cufft_names, symbols, sizeof symbols / sizeof *symbols};
    return lab_library_open(&library, cufft, why, why_size);
}
