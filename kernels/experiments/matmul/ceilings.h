/* The two roofs that no product passes, measured: of the arithmetic, for each type asked for, and of the memory.
 */
#ifndef LAB_MATMUL_CEILINGS_H
#define LAB_MATMUL_CEILINGS_H

#include "matmul.h"
#include "measure/measure.h"

/* What the memory's takes of it, on a device with such a last-level cache. */
uint64_t matmul_ceiling_bytes(int64_t l2_bytes);

/* How many times lab_measure will be called. */
size_t matmul_ceiling_count(const struct lab_run *run);

/* Measures and reports; *done grows with each. False with run->error set. */
bool matmul_measure_ceilings(struct lab_run *run, struct lab_measurer *measurer, size_t *done, size_t points);

#endif
