/* The command line of gpulab-sandbox. */
#ifndef LAB_SANDBOX_SETTINGS_H
#define LAB_SANDBOX_SETTINGS_H

#include "sandbox/sandbox.h"

#include <stdbool.h>
#include <stdint.h>

struct lab_sandbox_settings {
    bool namespaces; /* bubblewrap has started this process: as the first one of its namespace of processes */
    bool reported;   /* LAB_SANDBOX_CONTROL is open; else the end is written to standard error */
    uint64_t kept;   /* number of open descriptors from LAB_SANDBOX_PASSED on */
    bool has_user;
    struct lab_sandbox_user user;
    const char *folder;
    const char **readable, **devices; /* end with NULL */
    char **environment;               /* ends with NULL */
    uint64_t processor_s, memory_bytes, tasks, user_tasks, open_files, file_bytes;
    char **arguments; /* of the program */
};

/* False, with a message on standard error, if the arguments are wrong. */
bool lab_sandbox_settings_read(struct lab_sandbox_settings *settings, int argc, char **argv);

#endif
