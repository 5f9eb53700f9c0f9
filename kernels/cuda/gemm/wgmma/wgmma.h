/* Declarations for the files of this folder: the kernel's argument, and its instances. */
#ifndef LAB_CUDA_GEMM_WGMMA_H
#define LAB_CUDA_GEMM_WGMMA_H

#include "../gemm.h"
#include "schedule.h"
#include "shapes.h"

#include <cuda.h>
#include <stddef.h>

/* The kernel's argument. A tensor map describes a matrix and its boxes. */
struct wgmma_job {
    CUtensorMap a, b, c;
    void *results; /* C, for fp64 and if its rows are not aligned for TMA; else NULL, and TMA writes C */
    uint32_t m, n; /* of the product that the kernel computes (struct wgmma_product) */
    struct wgmma_schedule schedule;
    void *sums; /* sums that blocks pass on, if tiles are shared */
    /* A flag for each consumer of each block: the consumer's sums have been passed on. All 0 before and after a
     * product. */
    uint32_t *flags;
    uint32_t signals;   /* of progress, that each block gives (wgmma_signals) */
    uint32_t *progress; /* the number of signals given by all blocks; 0 before and after a product */
};

/* An instance of the kernel for a shape, whose sizes are those of lab_cuda_wgmma_shape_size (choice.h). */
struct wgmma_instance {
    const void *kernel;
    uint32_t consumers; /* warpgroups that multiply */
    uint32_t threads, shared_bytes;
};

#ifdef __cplusplus
extern "C" {
#endif

/* fp8.cu, …: the instances for a type and a layout, by shape. NULL for fp8 in layout NN, and if the shape is not for
 * the type. */
const struct wgmma_instance *lab_cuda_wgmma_fp64(enum lab_gemm_layout layout, enum wgmma_shape shape);
const struct wgmma_instance *lab_cuda_wgmma_bf16(enum lab_gemm_layout layout, enum wgmma_shape shape);
const struct wgmma_instance *lab_cuda_wgmma_fp16(enum lab_gemm_layout layout, enum wgmma_shape shape);
const struct wgmma_instance *lab_cuda_wgmma_tf32(enum lab_gemm_layout layout, enum wgmma_shape shape);
const struct wgmma_instance *lab_cuda_wgmma_fp8(enum lab_gemm_layout layout, enum wgmma_shape shape);

#ifdef __cplusplus
}
#endif

#endif
