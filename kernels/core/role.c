#include "role.h"

#include <string.h>

const char *const lab_role_names[] = {
    [LAB_ROLE_PUBLIC] = "public",
    [LAB_ROLE_ANONYMOUS] = "anonymous",
    [LAB_ROLE_PARTICIPANT] = "participant",
    [LAB_ROLE_VIEWER] = "viewer",
    [LAB_ROLE_OPERATOR] = "operator",
    [LAB_ROLE_ADMIN] = "admin",
    NULL,
};

const char *lab_role_name(enum lab_role role)
{
    return lab_role_names[role];
}

bool lab_role_parse(const char *name, enum lab_role *role)
{
    for (enum lab_role each = LAB_ROLE_PARTICIPANT; each <= LAB_ROLE_ADMIN; each++) {
        if (strcmp(name, lab_role_names[each]) != 0)
            continue;
        *role = each;
        return true;
    }
    return false;
}

bool lab_role_is_restricted(enum lab_role role)
{
    return role == LAB_ROLE_ANONYMOUS || role == LAB_ROLE_PARTICIPANT;
}
