/* What every program in a sandbox can use beside what its call lists. */
#ifndef LAB_SYSTEM_PATHS_H
#define LAB_SYSTEM_PATHS_H

#include "landlock.h"

#include <stdbool.h>

struct lab_system_path {
    struct lab_landlock_path at;
    bool mounted; /* in /proc or /dev, which bubblewrap creates and shows whole: no path is to be mounted there */
};

/* Ends with a row whose path is NULL. Paths that do not exist are skipped. */
extern const struct lab_system_path lab_system_paths[];

#endif
