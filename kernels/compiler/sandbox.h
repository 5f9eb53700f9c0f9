/* Takes from this process what compiling does not need, before it reads a text that may be hostile. */
#ifndef LAB_SANDBOX_H
#define LAB_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct lab_sandbox_limits {
    unsigned processor_s; /* processor time from now on; then SIGXCPU ends the process */
    unsigned memory_mib;  /* address space */
};

/* A recursion that needs more stack ends the process with SIGSEGV. The output limit is that of a file to which standard
 * output is redirected. */
enum { LAB_SANDBOX_STACK_MIB = 64, LAB_SANDBOX_OUTPUT_MIB = 64 };

/* The protections that the kernel offered. */
struct lab_sandbox {
    bool
        system_calls; /* seccomp: only calls that allocate memory, tell the time, write to open descriptors, and exit */
    bool files;       /* Landlock: no access to files, no TCP, no signals to other processes */
};

enum { LAB_SANDBOX_KEPT = 3 };

/* Sets the limits, closes all descriptors but the three standard ones and `kept` (-1: none), which becomes LAB_SANDBOX_KEPT, and
 * switches the protections on. False if neither is possible. No effect can be undone. */
bool lab_sandbox_enter(const struct lab_sandbox_limits *limits, int kept, struct lab_sandbox *sandbox);

/* The parts of lab_sandbox_enter: */

/* Closes the descriptor `first` and all that follow it. */
void lab_close_from(int first);

/* Sets the limits; from then on no program that is executed gets more rights than this process has. False if the kernel
 * refuses the latter. */
bool lab_sandbox_limit(const struct lab_sandbox_limits *limits);

/* Switches Landlock on. The `readable` files, and those below the `readable` folders, can still be read and executed; paths
 * that do not exist are skipped. False if the kernel has no Landlock. */
bool lab_sandbox_forbid_files(const char *const readable[], size_t count);

/* Filters the system calls of all threads (system_calls.c). False if the kernel or this kind of processor does not support
 * it. */
bool lab_system_calls_filter(void);
/* Keeps this process, and the program that it executes, from starting processes, which could outlive it; threads are allowed.
 * False as above. */
bool lab_system_calls_forbid_processes(void);

#endif
