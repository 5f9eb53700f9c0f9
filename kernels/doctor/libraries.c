/* The libraries that gpulab opens when it needs them. */
#include "core/libraries.h"

#include "findings.h"
#include "shareable.h"

#include <string.h>

/* The name of the check is that of the library (core/libraries.h). */
static void examine_library(struct doctor *doctor, const struct doctor_check *check)
{
    char version[64], why[DOCTOR_TEXT_MAX], shared[DOCTOR_TEXT_MAX];
    if (lab_libraries_open(check->name, version, sizeof version, why, sizeof why))
        doctor_works(doctor, check, "version %s", version);
    else
        doctor_missing(doctor, check, NULL, "%s",
                       strstr(why, "No such file") != NULL ? "not found"
                                                           : doctor_shareable(why, shared, sizeof shared));
}

/* What CUDA devices use; without such a device, or without CUDA in this build, it is of no use. */
static void examine_cuda_library(struct doctor *doctor, const struct doctor_check *check)
{
    if (doctor->has_gpu && doctor->options->cuda[0] != '\0')
        examine_library(doctor, check);
}

/* What gpulab-compiler uses, which runs where the lab is. */
static void examine_compiler_library(struct doctor *doctor, const struct doctor_check *check)
{
    if (doctor->options->database != NULL)
        examine_library(doctor, check);
}

const struct doctor_check doctor_library_checks[] = {
    {.name = "cublas",
     .title = "cuBLAS",
     .enables = "matmul: steps cublas",
     .debian = "libcublas-@",
     .rhel = "libcublas-@",
     .examine = examine_cuda_library},
    {.name = "cufft",
     .title = "cuFFT",
     .enables = "fft: step cufft",
     .debian = "libcufft-@",
     .rhel = "libcufft-@",
     .examine = examine_cuda_library},
    {.name = "nccl",
     .title = "NCCL",
     .enables = "collectives",
     .debian = "libnccl2",
     .rhel = "libnccl",
     .examine = examine_cuda_library},
    {.name = "cupti",
     .title = "CUPTI",
     .enables = "timelines, hardware counters, and what program finds in a whole program",
     .debian = "cuda-cupti-@",
     .rhel = "cuda-cupti-@",
     .examine = examine_cuda_library},
    {.name = "nvrtc",
     .title = "NVRTC",
     .enables = "gpulab kernel and compile, run --edit, kernels of the page",
     .debian = "cuda-nvrtc-@",
     .rhel = "cuda-nvrtc-@",
     .examine = examine_compiler_library},
    {.name = "openblas",
     .title = "OpenBLAS",
     .enables = "matmul: the reference on the CPU",
     .debian = "libopenblas0",
     .rhel = "openblas-serial",
     .examine = examine_library},
    {.name = "fftw",
     .title = "FFTW for fp64",
     .enables = "fft: the reference on the CPU",
     .debian = "libfftw3-double3",
     .rhel = "fftw-libs-double",
     .examine = examine_library},
    {.name = "fftwf",
     .title = "FFTW for fp32",
     .enables = "fft: the reference on the CPU",
     .debian = "libfftw3-single3",
     .rhel = "fftw-libs-single",
     .examine = examine_library},
    {0},
};
