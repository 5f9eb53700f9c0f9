/* A sample program as a row of lab_sample_programs (descriptor/sample_programs.h). */
#ifndef LAB_PROGRAMS_H
#define LAB_PROGRAMS_H

#include "pages/source_file.h"

/* Writes the row of the program in a file. Its first comment has its title, what it shows, and its lessons
 * (kernels/programs/README.md). Ends the program that calls it with a message where the file has another form. */
void lab_program_write(const struct lab_source_file *file, FILE *out);

#endif
