/* The cgroup of a program (version 2), below one that systemd has delegated to the lab (Delegate=, DelegateSubgroup=):
 * the kernel counts memory and tasks of all its processes there, and ends what is left of them at once.
 */
#ifndef LAB_SANDBOX_CGROUP_H
#define LAB_SANDBOX_CGROUP_H

#include "sandbox.h"

/* Sets the members `cgroup…` of the sandbox: where this process is in a delegated cgroup that it may change, or in a
 * part of one. */
void lab_cgroup_find(struct lab_sandbox *sandbox);

/* Makes a cgroup with the limits. False, with path[0] '\0', where the sandbox has none or it cannot be made. */
bool lab_cgroup_make(const struct lab_sandbox *sandbox, const struct lab_sandbox_limits *limits, char path[PATH_MAX]);

/* Ends what is left in the cgroup and removes it; nothing for "". True if the kernel has ended a process of it for its
 * memory. */
bool lab_cgroup_remove(const char *path);

#endif
