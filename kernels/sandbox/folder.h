/* The folder of a program, which is hostile territory: links, no permissions, any depth, and changes at any moment. */
#ifndef LAB_SANDBOX_FOLDER_H
#define LAB_SANDBOX_FOLDER_H

#include "sandbox.h"

/* Makes the folder for temporary files in it, and gives all that is in it to `user` (NULL: keeps the owners). No
 * program may run in it. False with errno. */
bool lab_sandbox_folder_prepare(const char *path, const struct lab_sandbox_user *user);

/* LAB_SANDBOX_FOLDER_LIMIT unless what is in the folder is within both limits and no deeper than 64 folders;
 * LAB_SANDBOX_DISK_LIMIT if its file system is nearly full; else LAB_SANDBOX_ITSELF. A program may run in it. */
enum lab_sandbox_end lab_sandbox_folder_check(const char *path, const struct lab_sandbox_limits *limits);

#endif
