/* The kernels of an experiment for host devices: compiled from NAME_host.c into the table NAME_host_kernels. */
#ifndef LAB_HOST_KERNELS_H
#define LAB_HOST_KERNELS_H

#include "pages/source_file.h"

/* Writes the table of the kernels that the file defines: LAB_HOST_KERNEL (runtime/module.h), or another macro that uses
 * it, stands at the beginning of a line, and the macro's first argument is the name of the experiment or begins with
 * it: LAB_CHECK_HOST(stream_check, stream_expected). Nothing if there is no file. */
void lab_host_kernels_write(struct lab_source_files *files, const char *folder, const char *name, FILE *out);

#endif
