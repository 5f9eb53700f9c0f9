/* A sample program as a row of lab_sample_programs (descriptor/sample_programs.h). */
#ifndef LAB_PROGRAMS_H
#define LAB_PROGRAMS_H

#include "pages/source_file.h"

/* Writes the row of the sample program that is in `file`. Title, description and lessons are read from the first
 * comment of the file (kernels/programs/README.md says in which form). Ends the process with a message if the
 * comment has another form. */
void lab_program_write(const struct lab_source_file *file, FILE *out);

#endif
