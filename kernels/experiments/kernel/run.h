/* The run of the experiment kernel. */
#ifndef LAB_KERNEL_RUN_H
#define LAB_KERNEL_RUN_H

#include "measure/run.h"

/* run() of the experiment. */
bool kernel_run(struct lab_run *run);

#endif
