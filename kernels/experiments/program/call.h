/* What all executions of a program have in common: its command line, what it reads, its input and limit. */
#ifndef LAB_PROGRAM_CALL_H
#define LAB_PROGRAM_CALL_H

#include "execute.h"

/* Fills in *call, whose other members are the caller's to set. Returns false, with the error of the run set, when out
 * of memory. In either case program_call_release releases the call, which must stay where it is until then. */
bool program_call_prepare(const struct program *program, struct program_call *call);
void program_call_release(struct program_call *call);

#endif
