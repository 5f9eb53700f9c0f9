/* The figures of occupancy-ilp that follow from several points.
 */
#ifndef LAB_OCCUPANCY_ILP_SUMMARY_H
#define LAB_OCCUPANCY_ILP_SUMMARY_H

#include "benchmark/medians.h"

enum { OCCUPANCY_ILP_SCHEDULERS = 4 }; /* of a multiprocessor */

/* The axes of a point on which the operations in flight depend, in the order of the table. */
enum { OCCUPANCY_ILP_VARIANT, OCCUPANCY_ILP_WARPS, OCCUPANCY_ILP_INDEPENDENT };

/* Warps on a multiprocessor; 1 on a host device. */
int64_t occupancy_ilp_warps(const struct lab_point *point);

/* Warp instructions of a multiprocessor, or instructions of a core, that do not wait for each other. */
double occupancy_ilp_in_flight(const struct lab_point *point);

/* lab_benchmark.summarise */
bool occupancy_ilp_summarise(struct lab_run *run, const struct lab_medians *medians);

#endif
