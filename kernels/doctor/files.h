/* Reads what the kernel says in /proc and /sys, below the root of an examination. */
#ifndef LAB_DOCTOR_FILES_H
#define LAB_DOCTOR_FILES_H

#include "findings.h"

#include <limits.h>

/* Writes the path below the root; "" where it is too long, which no file has. Returns `path`. */
const char *doctor_path(const struct doctor *doctor, const char *name, char path[PATH_MAX]);

bool doctor_exists(const struct doctor *doctor, const char *name);

/* Reads the first line of a file without its end. False, and the line is "", where there is none. */
bool doctor_read_line(const struct doctor *doctor, const char *name, char *line, size_t size);

/* Finds the first line that begins with `beginning`, and writes what follows, without blanks before it. */
bool doctor_find_line(const struct doctor *doctor, const char *name, const char *beginning, char *rest, size_t size);

/* Reads the number that a file begins with. */
bool doctor_read_number(const struct doctor *doctor, const char *name, double *number);

/* The capabilities of Linux that gpulab can use. */
enum { DOCTOR_IPC_LOCK = 14, DOCTOR_SYS_ADMIN = 21 };
/* Whether this process has the capability. */
bool doctor_has_capability(const struct doctor *doctor, unsigned capability);

/* Calls `visit` with the name of each entry of a folder that begins with `prefix` and a digit. */
void doctor_each_numbered(const struct doctor *doctor, const char *folder, const char *prefix,
                          void (*visit)(void *context, const char *name), void *context);

#endif
