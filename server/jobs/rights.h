/* What a person may have run. */
#ifndef LAB_RIGHTS_H
#define LAB_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>

struct lab_submit_rights {
    bool programs_allowed; /* whole programs, and checks of kernels in C, may be executed */
    size_t live_max;       /* runs of the person that may be queued and running at a time; 0: any number */
    double seconds_max;    /* that a run may be planned to take, and its time limit; 0: any */
};

#endif
