/* Examines this machine where no lab serves. The command gets the function from main.c, because it knows labs alone,
 * not their workers. */
#ifndef LAB_EXAMINE_MACHINE_H
#define LAB_EXAMINE_MACHINE_H

#include "cli/command.h"

lab_machine_examiner lab_examine_machine;

#endif
