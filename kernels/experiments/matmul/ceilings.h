/* The measured ceilings of the roofline: arithmetic throughput of each requested type, and memory bandwidth.
 */
#ifndef LAB_MATMUL_CEILINGS_H
#define LAB_MATMUL_CEILINGS_H

#include "matmul.h"
#include "measure/measure.h"

/* Bytes of device memory that the measurement of the memory ceiling allocates on a device whose last-level cache has
 * `l2_bytes`. */
uint64_t matmul_ceiling_bytes(int64_t l2_bytes);

/* Number of calls to lab_measure by matmul_measure_ceilings. */
size_t matmul_ceiling_count(const struct lab_run *run);

/* Measures and reports all ceilings. *done is the number of points completed, for the progress out of `points`; it is
 * increased for each ceiling. Returns false with run->error set on failure. */
bool matmul_measure_ceilings(struct lab_run *run, struct lab_measurer *measurer, size_t *done, size_t points);

#endif
