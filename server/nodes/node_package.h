/* The programs that a lab copies to its machines: gpulab-worker, what stands beside it for the worker to start or load,
 * and the shared libraries of these that are no part of the C library. All are kept in memory as they were when the lab
 * started, so that a lab whose files are replaced goes on with workers of its own version. */
#ifndef LAB_NODE_PACKAGE_H
#define LAB_NODE_PACKAGE_H

#include "core/errors.h"

#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

enum { LAB_PACKAGE_FILES_MAX = 16, LAB_PACKAGE_COPIES_MAX = 8, LAB_SHA256_TEXT = 65 };

struct lab_package_file {
    char name[64]; /* "bin/gpulab-worker", "lib/libjansson.so.4" */
    size_t size;
    char sha256[LAB_SHA256_TEXT];
};

struct lab_package {
    /* VERSION-HASH. The hash is of the contents and names of all files: it alone decides whether a machine has what
     * this lab needs. So no number, of version or protocol, has to be raised for a copy to happen. */
    char folder[64];
    struct lab_package_file files[LAB_PACKAGE_FILES_MAX];
    size_t file_count;
    unsigned char *bytes; /* of all files, one after another */
    size_t size;
    const char *machine;  /* as `uname -m` names it; NULL: not known, a script */
    unsigned glibc_minor; /* glibc 2.N is needed; 0: any C library */
    sem_t copies;         /* how many more copies may be in progress, of LAB_PACKAGE_COPIES_MAX */
};

/* Reads the worker and what belongs to it. NULL with *error, code "node-list" or "out-of-memory". */
struct lab_package *lab_package_read(const char *worker, struct lab_error *error);
/* NULL is allowed. */
void lab_package_free(struct lab_package *package);

#endif
