/* The functions of cuFFT that gpulab calls. The library is loaded at its first use: it is part of the toolkit, not of
 * the driver, and only the reference of the Fourier transforms needs it.
 */
#ifndef LAB_CUDA_CUFFT_LIBRARY_H
#define LAB_CUDA_CUFFT_LIBRARY_H

#include <cufft.h>
#include <stdbool.h>
#include <stddef.h>

struct cufft {
    __typeof__(&cufftCreate) create;
    __typeof__(&cufftDestroy) destroy;
    __typeof__(&cufftMakePlanMany64) make_plan;
    __typeof__(&cufftSetStream) set_stream;
    __typeof__(&cufftExecC2C) transform_complex;
    __typeof__(&cufftExecZ2Z) transform_complex_fp64;
    __typeof__(&cufftExecR2C) transform_real;
    __typeof__(&cufftExecD2Z) transform_real_fp64;
};

/* Loads the library and fills in *cufft. Returns false if no library that has all functions is found; the loader's
 * error is then written to `why`. */
bool lab_cuda_cufft_open(struct cufft *cufft, char *why, size_t why_size);

#endif
