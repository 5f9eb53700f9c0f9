/* gpulab-sandbox as a child process: its arguments, with those of bubblewrap before them, and its descriptors. */
#ifndef LAB_SANDBOX_HELPER_H
#define LAB_SANDBOX_HELPER_H

#include "sandbox.h"

struct lab_sandbox_helper {
    pid_t id;
    int control, output, errors; /* -1: closed; the output ends are not blocking */
};

/* Starts it; `folder` is the call's, without symbolic links, `cgroup` its own, "" for none. Returns 0 or errno. */
int lab_sandbox_helper_start(struct lab_sandbox_helper *helper, const struct lab_sandbox *sandbox,
                             const struct lab_sandbox_call *call, const char *folder, const char *cgroup);

/* Waits for its end, which must be near, and closes the descriptors. */
void lab_sandbox_helper_stop(struct lab_sandbox_helper *helper);

#endif
