/* Answers <helper_cuda.h> of NVIDIA's CUDA samples: checks of errors, and the choice of a device. Written for gpulab
 * from what the samples call; C++11. */
#ifndef HELPER_CUDA_H
#define HELPER_CUDA_H

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_string.h"

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

/* The name of an error of the CUDA runtime; those of libraries have numbers. */
inline const char *helperName(cudaError_t error)
{
    return cudaGetErrorName(error);
}

template <class Status> inline const char *helperName(Status)
{
    return "error of a library";
}

/* Ends the program with EXIT_FAILURE unless the call succeeded. */
template <class Status> inline void helperCheck(Status status, const char *call, const char *file, int line)
{
    if (!status)
        return;
    fprintf(stderr, "%s:%d: %s: %s (%d)\n", file, line, call, helperName(status), (int)status);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) helperCheck((call), #call, __FILE__, __LINE__)

/* The same for what went wrong before, in launches of kernels too. */
#define getLastCudaError(message) helperCheck(cudaGetLastError(), message, __FILE__, __LINE__)

/* FP32 cores of a multiprocessor, by compute capability; those of later ones are taken to be as many as those of the
 * last. */
inline int _ConvertSMVer2Cores(int major, int minor)
{
    static const struct {
        int version, cores;
    } rows[] = {{30, 192}, {50, 128}, {60, 64}, {61, 128}, {70, 64}, {86, 128}};
    int cores = rows[0].cores;
    for (const auto &row : rows)
        if (10 * major + minor >= row.version)
            cores = row.cores;
    return cores;
}

inline int helperAttribute(cudaDeviceAttr attribute, int device)
{
    int value = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
}

/* Makes a device the current one and returns its number; ends the program if there is no such device, or it is
 * prohibited. */
inline int gpuDeviceInit(int device)
{
    int count = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (device < 0 || device >= count || helperAttribute(cudaDevAttrComputeMode, device) == cudaComputeModeProhibited) {
        fprintf(stderr, "The device %d cannot be used; there are %d.\n", device, count);
        exit(EXIT_FAILURE);
    }
    checkCudaErrors(cudaSetDevice(device));
    return device;
}

/* The number of the device with the highest rate of arithmetic that may be used. */
inline int gpuGetMaxGflopsDeviceId()
{
    int count = 0, best = -1;
    int64_t best_rate = -1;
    checkCudaErrors(cudaGetDeviceCount(&count));
    for (int device = 0; device < count; device++) {
        int cores = _ConvertSMVer2Cores(helperAttribute(cudaDevAttrComputeCapabilityMajor, device),
                                        helperAttribute(cudaDevAttrComputeCapabilityMinor, device));
        int64_t rate = (int64_t)helperAttribute(cudaDevAttrMultiProcessorCount, device) * cores *
                       helperAttribute(cudaDevAttrClockRate, device);
        if (helperAttribute(cudaDevAttrComputeMode, device) != cudaComputeModeProhibited && rate > best_rate) {
            best = device;
            best_rate = rate;
        }
    }
    if (best < 0) {
        fprintf(stderr, "There is no CUDA device that may be used.\n");
        exit(EXIT_FAILURE);
    }
    return best;
}

/* Chooses the device of the argument -device=N, else the fastest, and prints which. */
inline int findCudaDevice(int argc, const char **argv)
{
    bool given = checkCmdLineFlag(argc, argv, "device");
    int device = gpuDeviceInit(given ? getCmdLineArgumentInt(argc, argv, "device") : gpuGetMaxGflopsDeviceId());
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name, properties.major,
           properties.minor);
    return device;
}

#endif
