/* Users of this machine. A look-up may wait for a directory service. */
#ifndef LAB_USER_H
#define LAB_USER_H

#include "core/errors.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Writes the user's name, cut to `size`; "uid N" for one without a name. */
void lab_user_name(uid_t id, char *name, size_t size);

/* The user as whom a process of root executes the programs of people: */

/* Sets *uid and *gid to those of the user `name` of this machine. False with *error, whose pointer is --program-user,
 * where there is no such user, where the user has rights of root, or where this process is not root's and so cannot
 * become another user. */
bool lab_user_find(const char *name, uid_t *uid, gid_t *gid, struct lab_error *error);

#endif
