/* The folder of a program, which is hostile territory: links, no permissions, any depth, and changes at any moment. */
#ifndef LAB_SANDBOX_FOLDER_H
#define LAB_SANDBOX_FOLDER_H

#include "sandbox.h"

/* Makes the folder for temporary files in it, and gives all that is in it to `user` (NULL: keeps the owners). No program may run in it.
 * False with errno. */
bool lab_sandbox_folder_prepare(const char *path, const struct lab_sandbox_user *user);

/* Whether what is in the folder is within both limits, no deeper than 64 folders, and the file system is not nearly full. A program may
 * run in it. */
bool lab_sandbox_folder_within(const char *path, const struct lab_sandbox_limits *limits);

#endif
