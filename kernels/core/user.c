#include "core/user.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

static const char pointer[] = "--program-user";

void lab_user_name(uid_t id, char *name, size_t size)
{
    char texts[16384];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(id, &entry, texts, sizeof texts, &found) == 0 && found != NULL)
        snprintf(name, size, "%s", entry.pw_name);
    else
        snprintf(name, size, "uid %u", (unsigned)id);
}

bool lab_user_find(const char *name, uid_t *uid, gid_t *gid, struct lab_error *error)
{
    char texts[16384];
    struct passwd entry, *found = NULL;
    if (geteuid() != 0)
        return lab_error_set(error, LAB_ERROR_PROGRAM_USER, pointer,
                             "Only root can execute programs as another user, and this process is not root's.");
    if (getpwnam_r(name, &entry, texts, sizeof texts, &found) != 0 || found == NULL)
        return lab_error_set(error, LAB_ERROR_PROGRAM_USER, pointer, "This machine has no user %.64s.", name);
    if (found->pw_uid == 0 || found->pw_gid == 0)
        return lab_error_set(
            error, LAB_ERROR_PROGRAM_USER, pointer,
            "The user %.64s or its group is root; programs need a user without rights, such as nobody.", name);
    *uid = found->pw_uid;
    *gid = found->pw_gid;
    return true;
}
