/* What people may do in a lab, by the token that they have. */
#ifndef LAB_ROLE_H
#define LAB_ROLE_H

#include <stdbool.h>

/* Each role includes those before it, except that participants do only what the row of a route says
 * (server/http/http.h), and viewers do not include them. */
enum lab_role {
    LAB_ROLE_PUBLIC,      /* nothing that needs a token */
    LAB_ROLE_ANONYMOUS,   /* reads without a token what a lab that is open to everyone shows */
    LAB_ROLE_PARTICIPANT, /* adds runs within limits, and sees and cancels those alone */
    LAB_ROLE_VIEWER,
    LAB_ROLE_OPERATOR,
    LAB_ROLE_ADMIN,
};

/* By enum lab_role; ends with NULL. Those that a token can have begin at LAB_ROLE_PARTICIPANT. */
extern const char *const lab_role_names[];
/* "viewer"; "public" for LAB_ROLE_PUBLIC. */
const char *lab_role_name(enum lab_role role);
/* False unless `name` is the name of a role that a token can have. */
bool lab_role_parse(const char *name, enum lab_role *role);
/* Whether the role sees only a part of what its routes answer, secret runs apart (server/api/visibility.h). */
bool lab_role_is_restricted(enum lab_role role);

#endif
