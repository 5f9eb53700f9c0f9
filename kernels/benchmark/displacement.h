/* Memory that is allocated only so that what is allocated after it lies elsewhere (METHOD.md 19). */
#ifndef LAB_DISPLACEMENT_H
#define LAB_DISPLACEMENT_H

#include "measure/run.h"

enum { LAB_DISPLACEMENTS = 2 }; /* on each device: less than a page, and pages */

/* Initialise with `{0}`. */
struct lab_displacement {
    struct lab_run *run;
    void *addresses[LAB_RUN_DEVICES_MAX][LAB_DISPLACEMENTS];
};

/* Allocates memory of sizes that follow from `number` on the devices of the run, as far as there is enough. */
void lab_displacement_make(struct lab_displacement *displacement, struct lab_run *run, uint64_t number);
/* Frees it. */
void lab_displacement_release(struct lab_displacement *displacement);

#endif
