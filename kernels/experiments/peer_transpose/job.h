/* The work on the board: what lab_measure repeats and what it checks.
 */
#ifndef LAB_PEER_TRANSPOSE_JOB_H
#define LAB_PEER_TRANSPOSE_JOB_H

#include "setup.h"

/* The callbacks of lab_measure, the board being their context. They do, poison and check what the board's variant
 * is about; TRANSPOSE_ALL_TO_ALL sends what any of the others has left in the staging memory. */
bool transpose_enqueue(void *context);
bool transpose_poison(void *context);
bool transpose_verify(void *context, uint64_t *wrong);

/* How many kernels and copies one repetition is. */
size_t transpose_operations(const struct transpose_setup *setup);

/* Those of a variant that transposes and copies, whatever the board's is. */
size_t transpose_operations_most(const struct transpose_setup *setup);

#endif
