/* Filters of system calls (seccomp), which a process and its descendants cannot undo. lab_limit_rights must have been
 * called. Each function returns false if the kernel or this kind of processor does not support filters. */
#ifndef LAB_SYSTEM_CALLS_H
#define LAB_SYSTEM_CALLS_H

#include <stdbool.h>

/* For a computation: only calls that allocate memory, tell the time, write to open descriptors, and exit; the others
 * fail with ENOENT, so that NVRTC reports a file that it cannot open as missing. */
bool lab_system_calls_allow_few(void);

/* Keeps this process, and the program that it executes, from starting processes, which could outlive it; threads are
 * allowed. */
bool lab_system_calls_forbid_processes(void);

/* What surrounds the program for which lab_system_calls_forbid_others filters. */
struct lab_system_calls_surroundings {
    bool namespaces; /* own namespaces of processes, network and IPC: what reaches only these is allowed */
    bool scopes;     /* Landlock keeps signals from other processes (LAB_LANDLOCK_SCOPES) */
};

/* For any program: forbids what inspects or signals other processes, changes the system, opens other namespaces, or is
 * seldom used and often attacked. Where there is no own network, no socket connects to another, but of a socketpair. */
bool lab_system_calls_forbid_others(struct lab_system_calls_surroundings surroundings);

#endif
