/* Who sends a request, and what they may do. */
#ifndef LAB_AUTH_IDENTITY_H
#define LAB_AUTH_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a person may do. Each role includes those before it. */
enum lab_role {
    LAB_ROLE_PUBLIC, /* nothing that needs a token */
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

enum { LAB_PERSON_MAX = 64 }; /* bytes of a person's name */

struct lab_identity {
    enum lab_role role;
    char name[LAB_PERSON_MAX + 1]; /* of the token or, on the Unix socket, of the user; "" when unknown */
    int64_t token;                 /* id of the token; 0: the request has none */
    bool limited;                  /* whether the requests are subject to the rate limit */
};

#endif
