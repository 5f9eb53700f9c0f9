/* Judges the outputs of an own kernel that another process has run: computes in this one what they must be (METHOD.md
 * 23). */
#ifndef LAB_KERNEL_JUDGE_H
#define LAB_KERNEL_JUDGE_H

#include "measure/run.h"

/* Reads the file of the run and passes a verdict on each of its points to the sink. Returns false with run->error set,
 * also when a point has no launch whose whole outputs are there. */
bool kernel_judge(struct lab_run *run);

#endif
