/* Examines this machine instead of measuring on it (doctor/doctor.h). */
#ifndef LAB_WORKER_EXAMINE_H
#define LAB_WORKER_EXAMINE_H

#include "runtime/runtime.h"

/* How runs would be executed here. */
struct worker_examination {
    const char *lock_dir, *program_user;
    const char *database; /* the file of the lab's database; NULL: the lab is on another machine */
    struct lab_runtime_options options;
};

/* Writes the document to standard output as one line, with the `version` of gpulab and `at`, the time. Returns the
 * exit code of the process. */
int worker_examine(const struct worker_examination *examination);

#endif
