/* The computations of the typed operations, for the part of one core. enum lab_operation_kind in runtime.h defines them.
 */
#ifndef LAB_HOST_KERNELS_H
#define LAB_HOST_KERNELS_H

#include "runtime/runtime.h"

/* Compute the elements begin <= i < end of contiguous buffers. */
void lab_host_sine_cosine(const struct lab_operation *operation, size_t begin, size_t end);
void lab_host_average(const struct lab_operation *operation, size_t begin, size_t end);
void lab_host_increment(const struct lab_operation *operation, size_t begin, size_t end);
void lab_host_pairs(const struct lab_operation *operation, size_t begin, size_t end);

/* Computes the rows begin <= row < end of the destination. */
void lab_host_transpose(const struct lab_operation *operation, size_t begin, size_t end);

#endif
