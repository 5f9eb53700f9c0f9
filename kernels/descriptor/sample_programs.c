/* Finds sample programs by name. */
#include "descriptor/sample_programs.h"

#include <string.h>

const struct lab_sample_program *lab_sample_program_find(const char *name)
{
    for (const struct lab_sample_program *program = lab_sample_programs; program->name != NULL; program++)
        if (strcmp(program->name, name) == 0)
            return program;
    return NULL;
}
