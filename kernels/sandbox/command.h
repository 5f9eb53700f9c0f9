/* The command line that runs a program in a sandbox. */
#ifndef LAB_SANDBOX_COMMAND_H
#define LAB_SANDBOX_COMMAND_H

#include "sandbox.h"

/* Ends with NULL. NULL if there is no memory. Freed by lab_sandbox_command_free. `cgroup`: which all of it enters; "":
 * none. */
char **lab_sandbox_command_create(const struct lab_sandbox *sandbox, const struct lab_sandbox_call *call,
                                  const char *folder, const char *cgroup);
void lab_sandbox_command_free(char **command);

#endif
