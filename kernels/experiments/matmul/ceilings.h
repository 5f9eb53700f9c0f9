/* The measured ceilings of the roofline: arithmetic throughput of each requested type, and memory bandwidth.
 */
#ifndef LAB_MATMUL_CEILINGS_H
#define LAB_MATMUL_CEILINGS_H

#include "matmul.h"
#include "measure/measure.h"

/* Bytes of device memory that the measurement of the memory ceiling takes on a device with this size of last-level
 * cache. */
uint64_t matmul_ceiling_bytes(int64_t l2_bytes);

/* Number of calls to lab_measure. */
size_t matmul_ceiling_count(const struct lab_run *run);

/* Measures and reports all ceilings. *done counts the points completed, of `points`, for the progress. Returns false
 * with run->error set on failure. */
bool matmul_measure_ceilings(struct lab_run *run, struct lab_measurer *measurer, size_t *done, size_t points);

#endif
