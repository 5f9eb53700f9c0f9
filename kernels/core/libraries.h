/* The libraries whose versions are recorded with a run, and how each of them tells its version. */
#ifndef LAB_LIBRARIES_H
#define LAB_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/* Calls `visit` with each library that the runtime of that name ("cuda", "host") can use; `version` is NULL where this
 * process has not opened the library. Opens none. */
void lab_libraries_visit(const char *runtime, void (*visit)(void *context, const char *name, const char *version),
                         void *context);

/* Opens the library of that name, such as "cublas", which stays open until the process ends, and writes its version.
 * False with the reason in `why` where it cannot be opened, or if no library has that name. Takes up to a second. */
bool lab_libraries_open(const char *name, char *version, size_t size, char *why, size_t why_size);

/* Writes NCCL's version number as text: "2.28.9". */
void lab_nccl_version_text(int version, char *text, size_t size);

#endif
