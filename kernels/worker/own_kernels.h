/* The own kernels of an operation (core/protocol.h): decoded, as the experiment gets them. */
#ifndef LAB_WORKER_OWN_KERNELS_H
#define LAB_WORKER_OWN_KERNELS_H

#include "benchmark/own_kernels.h"
#include "descriptor/macros.h"

#include <jansson.h>

struct worker_own_kernels {
    struct lab_own_kernels kernels;
    struct worker_own_image {
        struct lab_binary binary;
        unsigned char *bytes;
    } image, images[2 * LAB_MACRO_COMBINATIONS_MAX]; /* of an edited source; of the variants */
    size_t image_count;
    struct lab_own_variant variants[LAB_MACRO_COMBINATIONS_MAX];
};

/* Reads the member "kernel" of an operation, which must outlast *own. Returns false with *error set. Call
 * worker_own_kernels_release in either case. */
bool worker_own_kernels_read(struct worker_own_kernels *own, const json_t *kernel, struct lab_error *error);
void worker_own_kernels_release(struct worker_own_kernels *own);

#endif
