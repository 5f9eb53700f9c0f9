/* Executes a program in the worker; see program.c. */
#ifndef LAB_PROGRAM_RUN_H
#define LAB_PROGRAM_RUN_H

#include "measure/run.h"

bool program_run(struct lab_run *run);

#endif
