/* Keeps outputs of an own kernel with the run, as fields: later runs are compared with them. */
#ifndef LAB_KERNEL_SAVE_H
#define LAB_KERNEL_SAVE_H

#include "benchmark/report.h"
#include "job.h"

/* Launches the kernel of a prepared job once on fresh buffers, and reports the outputs that are to be saved. Wrong ones
 * are not saved, and the run gets a warning. Returns false with the error of the run set. */
bool kernel_save_outputs(struct kernel_job *job, const struct lab_lane *lane, const struct lab_report *report);

#endif
