/* The executions of a program under the passes of its hardware counters (counting.h). */
#ifndef LAB_PROGRAM_PASSES_H
#define LAB_PROGRAM_PASSES_H

#include "execute.h"

/* Counts what the program of a side does, in as many passes as its counters need, and sends the figures. Progress is
 * that of the run `head`. Returns false if the run is cancelled; whatever else prevents it becomes a note, and there
 * are no figures. */
bool program_count(struct program *program, const struct lab_run *head);

#endif
