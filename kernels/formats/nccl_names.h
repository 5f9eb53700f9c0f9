/* What the JSON file and the table of the NCCL tests have in common. */
#ifndef LAB_FORMATS_NCCL_NAMES_H
#define LAB_FORMATS_NCCL_NAMES_H

#include "formats/reader.h"

enum { LAB_NCCL_OPERATION_MAX = 64 };

/* The operation that a program measures: "all_reduce" of "./build/all_reduce_perf". False: its name has another
 * form. */
bool lab_nccl_operation(const char *program, char operation[LAB_NCCL_OPERATION_MAX + 1]);

/* Sets an axis from the text of a column, which may have blanks before it. "none" and -1 say that the operation has no
 * such axis. */
bool lab_nccl_axis(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                   const char *text);

/* Lists a host, unless it is the last one listed. */
void lab_nccl_host(struct lab_reader *reader, const char *name);

#endif
