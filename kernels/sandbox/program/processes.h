/* The processes of the sandbox: all that descend from this one. */
#ifndef LAB_PROCESSES_H
#define LAB_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lab_processes {
    unsigned living;       /* processes */
    uint64_t tasks;        /* their threads */
    uint64_t memory_bytes; /* resident, of each; what several share counts several times */
    uint64_t processor_us; /* of those that are not reaped yet */
    pid_t *ids;            /* of the living ones; the list grows and is never freed */
    size_t capacity;
};

/* Looks at all of them. False, with `processes` as if there were none, if /proc cannot be read. */
bool lab_processes_scan(struct lab_processes *processes);

/* The memory of the processes. Shared memory counts once, unless a process cannot be looked into. Takes milliseconds
 * for each GiB. */
uint64_t lab_processes_memory(const struct lab_processes *processes);

/* Kills all of them, also those that are started meanwhile, and reaps them. Returns how many were found living;
 * *not_killed: how many still live after `deadline_s`, because the kernel does not return from a call of theirs, or 1
 * if they cannot be seen. If `id` is reaped, *status is how it ended. */
unsigned lab_processes_end(struct lab_processes *processes, double deadline_s, unsigned *not_killed, pid_t id,
                           int *status);

#endif
