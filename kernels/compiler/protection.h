/* Takes from this process what compiling does not need, before it reads a text that may be hostile. */
#ifndef LAB_PROTECTION_H
#define LAB_PROTECTION_H

#include <stdbool.h>
#include <stddef.h>

struct lab_protection_limits {
    unsigned processor_s; /* processor time from now on; then SIGXCPU ends the process */
    unsigned memory_mib;  /* address space */
};

/* A recursion that needs more stack ends the process with SIGSEGV. The output limit is that of a file to which standard
 * output is redirected. */
enum { LAB_PROTECTION_STACK_MIB = 64, LAB_PROTECTION_OUTPUT_MIB = 64 };

/* The protections that the kernel offered. */
struct lab_protection {
    bool
        system_calls; /* seccomp: only calls that allocate memory, tell the time, write to open descriptors, and exit */
    bool files;       /* Landlock: no access to files, no TCP, no signals to other processes */
};

enum { LAB_PROTECTION_KEPT = 3 };

/* Sets the limits, closes all descriptors but the three standard ones and `kept` (-1: none), which becomes
 * LAB_PROTECTION_KEPT, and switches the protections on. False if neither is possible. No effect can be undone. */
bool lab_protection_enter(const struct lab_protection_limits *limits, int kept, struct lab_protection *protection);

/* The first part of lab_protection_enter: sets the limits; from then on no program that is executed gets more rights
 * than this process has. False if the kernel refuses the latter. */
bool lab_protection_limit(const struct lab_protection_limits *limits);

#endif
