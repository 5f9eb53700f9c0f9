/* What a compiler or program gets of the worker's surroundings: variables, files to read, and devices. */
#ifndef LAB_PROGRAM_SURROUNDINGS_H
#define LAB_PROGRAM_SURROUNDINGS_H

#include "devices.h"
#include "execute.h"

#include <stddef.h>

/* The descriptors that a program gets, from LAB_SANDBOX_KEPT on. A compiler gets none. */
enum { PROGRAM_KEPT_RESULTS, PROGRAM_KEPT_RECORDS, PROGRAM_KEPT };

/* Texts, of which the last is NULL. */
struct program_texts {
    char **items;
    size_t count;
    bool failed; /* out of memory: some are missing */
};

struct program_surroundings {
    struct program_texts variables; /* "NAME=TEXT" */
    struct program_texts readable;  /* paths without symbolic links */
    struct program_devices devices;
    const char *device_files[PROGRAM_DEVICE_FILES_MAX + 1]; /* in `devices`; the last is NULL */
};

/* Finds the surroundings of a call, to be released in either case. False when out of memory. */
bool program_surroundings_find(struct program_surroundings *s, const struct lab_run *run,
                               const struct program_call *call);
void program_surroundings_release(struct program_surroundings *s);

#endif
