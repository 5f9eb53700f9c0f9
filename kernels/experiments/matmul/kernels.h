/* The CUDA kernels of this folder, from the naive one to warp tiling, and the methods of the runtime behind the same
 * function.
 */
#ifndef LAB_MATMUL_KERNELS_H
#define LAB_MATMUL_KERNELS_H

#include "matmul.h"

#include "benchmark/own_kernels.h"
#include "measure/measurement.h"
#include "runtime/runtime.h"

enum { MATMUL_IMAGES = 8 };

/* The images that have been loaded on a device. Initialise with the device, and open the own kernels. */
struct matmul_kernels {
    struct lab_device *device;
    struct lab_own_module own;                 /* the run's own kernels, which replace those of the images */
    struct lab_module *modules[MATMUL_IMAGES]; /* NULL until a kernel of the image is needed */
    struct lab_gemm_kernel of_call;            /* the kernel of the last call that was described */
};

/* Unloads all images and the own kernels; the plans of their kernels have been released. */
void matmul_kernels_close(struct matmul_kernels *kernels);

/* Prepares a product by a step: launches a kernel of an image, or calls a method of the runtime (matmul_source_of).
 * Sets *record to what is known of the kernel, name NULL if nothing is; it is valid until the next call. Returns NULL with
 * the device's error set, code "unsupported" if there is no kernel for the product. */
struct lab_plan *matmul_kernels_prepare(struct matmul_kernels *kernels, enum matmul_step step,
                                        const struct lab_gemm *gemm, struct lab_kernel_record *record);

#endif
