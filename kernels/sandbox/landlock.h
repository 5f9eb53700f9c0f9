/* Landlock: the kernel's rules for the files that a process and its descendants may use, which they cannot undo. */
#ifndef LAB_LANDLOCK_H
#define LAB_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>

enum lab_landlock_access {
    LAB_LANDLOCK_READ,  /* read and execute */
    LAB_LANDLOCK_USE,   /* read, write and control what exists, such as devices */
    LAB_LANDLOCK_WRITE, /* everything, such as create, rename and remove */
};

/* A file, or a folder with what is below it. */
struct lab_landlock_path {
    const char *path;
    enum lab_landlock_access access;
};

enum lab_landlock_network { LAB_LANDLOCK_NO_TCP, LAB_LANDLOCK_ANY_NETWORK };

/* The version of the kernel's interface; 0 if it has none. Signals to other processes and abstract sockets of others
 * are forbidden from LAB_LANDLOCK_SCOPES on, TCP (LAB_LANDLOCK_NO_TCP) from 4 on. */
enum { LAB_LANDLOCK_SCOPES = 6 };
int lab_landlock_version(void);

/* Forbids all files but those of `paths`; paths that do not exist are skipped. lab_limit_rights must have been called.
 * False if the kernel has no Landlock. */
bool lab_landlock_restrict(const struct lab_landlock_path *paths, size_t count, enum lab_landlock_network network);

#endif
