/* The kernels of a run that were compiled with the macros of a point. */
#ifndef LAB_KERNEL_VARIANT_H
#define LAB_KERNEL_VARIANT_H

#include "benchmark/own_kernels.h"

/* NULL with run->error set if there are none. */
const struct lab_own_variant *kernel_variant_at(struct lab_run *run, const struct lab_point *point);

#endif
