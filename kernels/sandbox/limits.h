/* Limits of a process, and what it inherits. */
#ifndef LAB_LIMITS_H
#define LAB_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Lowers both limits of a resource (RLIMIT_…) to `value`. A lower one stays. */
void lab_limit_set(int resource, uint64_t value);

/* Limits the processor time of this process to `seconds` from now on: SIGXCPU, and SIGKILL a second later. */
void lab_limit_processor(uint64_t seconds);

/* A crash writes no core file, and sends none to the program that the system may have for them. */
void lab_limit_core(void);

/* From now on no program that is executed gets more rights than this process has. False if the kernel refuses it. */
bool lab_limit_rights(void);

/* Closes the descriptor `first` and all that follow it. */
void lab_close_from(int first);

#endif
