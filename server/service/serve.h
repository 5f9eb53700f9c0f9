/* The command `gpulab serve`. */
#ifndef LAB_SERVE_H
#define LAB_SERVE_H

#include "cli/command.h"

/* Returns an exit code. */
int lab_command_serve(const struct lab_invocation *invocation);

#endif
