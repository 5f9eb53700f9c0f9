/* A private lab: the lab that a command starts for itself, in a child process, when none serves the database. It has
 * the same parts as that of `gpulab serve`, but no TCP address; commands reach it through the Unix socket beside the
 * database.
 */
#ifndef LAB_PRIVATE_SERVICE_H
#define LAB_PRIVATE_SERVICE_H

#include "cli/command.h"

lab_private_service lab_private_service_run;

#endif
