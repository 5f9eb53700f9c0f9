/* The operations of a variant, and the callbacks with which lab_measure times and verifies them.
 */
#ifndef LAB_PEER_TRANSPOSE_JOB_H
#define LAB_PEER_TRANSPOSE_JOB_H

#include "setup.h"

/* Callbacks of struct lab_work; the context is a struct transpose_setup, whose member `variant` selects what they do.
 * TRANSPOSE_ALL_TO_ALL sends the blocks that an earlier variant left in the staging memory. */
bool transpose_enqueue(void *context);
bool transpose_poison(void *context);
bool transpose_verify(void *context, uint64_t *wrong);

/* Number of kernels and copies in one repetition of setup->variant. */
size_t transpose_operations(const struct transpose_setup *setup);

/* Number of kernels and copies in one repetition of a variant that both transposes and copies, whichever setup->variant
 * is. */
size_t transpose_operations_most(const struct transpose_setup *setup);

#endif
