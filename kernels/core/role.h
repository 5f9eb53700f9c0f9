/* What people may do in a lab, by the token that they have. */
#ifndef LAB_ROLE_H
#define LAB_ROLE_H

#include <stdbool.h>

/* Each role includes those before it. */
enum lab_role {
    LAB_ROLE_PUBLIC,    /* nothing that needs a token */
    LAB_ROLE_ANONYMOUS, /* reads without a token what a lab that is open to everyone shows (server/api/anonymous.c) */
    LAB_ROLE_VIEWER,
    LAB_ROLE_OPERATOR,
    LAB_ROLE_ADMIN,
};

/* By enum lab_role; ends with NULL. Those that a token can have begin at LAB_ROLE_VIEWER. */
extern const char *const lab_role_names[];
/* "viewer"; "public" for LAB_ROLE_PUBLIC. */
const char *lab_role_name(enum lab_role role);
/* False unless `name` is the name of a role that a token can have. */
bool lab_role_parse(const char *name, enum lab_role *role);

#endif
