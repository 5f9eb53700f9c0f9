/* The private folder of a program: its files, what is built of them, and what the program leaves there. */
#ifndef LAB_PROGRAM_FILES_H
#define LAB_PROGRAM_FILES_H

#include "core/errors.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Bytes of the path of a program's folder, which is short enough for names in it. */
enum { PROGRAM_FOLDER_MAX = PATH_MAX - 128 };

struct program_folder {
    char path[PROGRAM_FOLDER_MAX]; /* "": not made yet */
    int lock;                      /* a descriptor with the lock that this process has on it */
};

/* Makes a new folder that only this user can enter, in TMPDIR or /tmp. Returns false with *error set. */
bool program_folder_make(struct program_folder *folder, struct lab_error *error);
/* Removes a folder, if it was made, and all that is in it. No program may run in it. Returns false if something is
 * left. */
bool program_folder_remove(struct program_folder *folder);
/* Removes what processes that were killed have left in TMPDIR or /tmp: the folders of this process's user, and of
 * `user`, on which no process has a lock. */
void program_folders_clean(uid_t user);

/* Where the headers that every program can include are, in its folder. No file of a request has such a name. */
#define PROGRAM_HEADERS ".include"

/* Writes the files of a request, {name: text}, below the folder, and the headers (descriptor/sample_programs.h).
 * Returns false with *error set. */
bool program_files_write(const char *folder, const json_t *files, struct lab_error *error);

/* Reads a file that the program has left: NUL-terminated, to be freed. NULL with *error set if there is none, it is no
 * file, a part of its name is a symbolic link or "..", or it has more than `most` bytes. */
char *program_file_read(const char *folder, const char *name, size_t most, size_t *size, struct lab_error *error);

#endif
