/* The commands that a machine offers by name: a JSON file {NAME: {members of command_members}}, which belongs to root
 * or to the user of the worker, and which nobody else can write.
 */
#ifndef LAB_PROGRAM_COMMANDS_H
#define LAB_PROGRAM_COMMANDS_H

#include "core/errors.h"
#include "core/schema.h"

#include <jansson.h>
#include <stdbool.h>

/* Reads the command `name` of the file: a new reference to its object. NULL with *error set if there is no such
 * command, the file cannot be read or is not what it must be, or the arguments are not those that the command takes. */
json_t *program_command_read(const char *file, const char *name, const json_t *arguments, struct lab_error *error);

/* What can be said of all commands of the file to those who may execute them, a new reference:
 * {"commands":[{"name","text","arguments","format", "limit_s"}…],"reason"}. Their command lines and paths are left out.
 * Members that a command does not have are null, "arguments" []; "reason": why there are none, or why one of them is
 * left out; null where there is nothing to say. */
json_t *program_commands_list(const char *file);

#endif
