/* gpulab program --commands: what the nodes of the lab offer by name. */
#ifndef LAB_PROGRAM_COMMANDS_LIST_H
#define LAB_PROGRAM_COMMANDS_LIST_H

#include "client_command.h"

/* Prints the commands of these nodes, of all where there are none. Returns an exit code. */
enum lab_exit_code lab_program_commands(struct lab_context *context, const struct lab_texts *nodes);

#endif
