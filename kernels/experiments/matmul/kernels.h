/* The CUDA kernels of this folder, from the naive one to warp tiling, and the methods of the runtime behind the same
 * function.
 */
#ifndef LAB_MATMUL_KERNELS_H
#define LAB_MATMUL_KERNELS_H

#include "matmul.h"

#include "benchmark/own_kernels.h"
#include "measure/measurement.h"
#include "runtime/runtime.h"

/* The images: the .cu files of this folder. */
enum {
    MATMUL_NAIVE,
    MATMUL_COALESCED,
    MATMUL_TILED,
    MATMUL_BLOCK_TILING,
    MATMUL_VECTORIZED,
    MATMUL_DOUBLE_BUFFERED,
    MATMUL_WARP_TILED,
    MATMUL_WARP_TILED_TN,
    MATMUL_IMAGES
};
extern const struct lab_image matmul_images[MATMUL_IMAGES];

/* A kernel of an image, with the parameters m, n, k, a, b, c. Of the kernels of a step that allow a product the one
 * with the least estimated time is launched, and of several with the same time the first. */
struct matmul_kernel {
    const char *name;
    size_t image;
    uint32_t bm, bn;    /* rows and columns of C per block */
    uint32_t block[2];  /* threads */
    bool columns_first; /* neighbouring blocks have neighbouring rows of C, not columns */
    enum { MATMUL_ANY, MATMUL_N_4, MATMUL_K_4, MATMUL_N_K_4 } aligned; /* the sizes that must be multiples of 4 */
    /* the time per element of C in percent more than with the largest tile, measured on an H200 with enough tiles for
     * all multiprocessors */
    uint32_t extra;
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
};

/* The images that have been loaded on a device. Initialise with the device, and open the own kernels. */
struct matmul_kernels {
    struct lab_device *device;
    struct lab_own_module own;                 /* the run's own kernels, which replace those of the images */
    struct lab_module *modules[MATMUL_IMAGES]; /* NULL until a kernel of the image is needed */
    struct lab_gemm_kernel of_call;            /* the kernel of the last call that was described */
};

/* Unloads all images and the own kernels; the plans of their kernels have been released. */
void matmul_kernels_close(struct matmul_kernels *kernels);

/* Prepares a product by a step: launches a kernel of an image, or calls a method of the runtime (struct matmul_step).
 * Sets *record to what is known of the kernel, name NULL if nothing is; it is valid until the next call. Returns NULL
 * with the device's error set, code "unsupported" if there is no kernel for the product. */
struct lab_plan *matmul_kernels_prepare(struct matmul_kernels *kernels, const struct matmul_step *step,
                                        const struct lab_gemm *gemm, struct lab_kernel_record *record);

#endif
