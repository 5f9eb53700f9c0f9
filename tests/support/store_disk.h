/* A disk whose syncs are counted and whose operations can be made to fail: a wrapper around SQLite's own VFS. Its file
 * is in instead/, because it replaces functions of libc, so that the reserve counts too. */
#ifndef LAB_STORE_DISK_H
#define LAB_STORE_DISK_H

#include "support/test.h"

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

extern struct disk {
    sqlite3_vfs *real;
    sqlite3_vfs vfs;
    atomic_bool full;         /* writes to database and log fail */
    atomic_int full_delay_ms; /* time that each of these takes */
    const char *path;         /* of the database */
    atomic_llong capacity;    /* bytes that database, log, reserve and copies may have together; 0: any number */
    atomic_long steps;        /* operations that changed files */
    atomic_long kill_at;      /* the process is killed before the step of this number; 0: never */
    atomic_long full_at;      /* from this step on, `full` is set; 0: never */
    atomic_bool broken_sync;  /* syncs fail */
    atomic_int sync_delay_ms; /* delay added to each sync */
    atomic_int log_syncs;     /* that succeeded */
    atomic_bool log_unsynced; /* the log was written after its last sync */
} disk;

/* The bytes that database, log, reserve and copies have. */
sqlite3_int64 disk_used(void);

/* Is called before each operation that changes files. */
void disk_step(void);

/* Setup: makes it the default VFS. */
test_fixture disk_install;

#endif
