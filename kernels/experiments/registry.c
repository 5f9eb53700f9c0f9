/* All experiments of the lab. A new one adds its line here. */
#include "experiment.h"

extern const struct lab_experiment lab_transfer, lab_overlap, lab_matmul, lab_scaling, lab_peer;

const struct lab_experiment *const lab_experiments[] = {&lab_transfer, &lab_overlap, &lab_matmul,
                                                        &lab_scaling,  &lab_peer,    NULL};
