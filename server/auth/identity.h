/* Who sends a request, and what they may do. */
#ifndef LAB_AUTH_IDENTITY_H
#define LAB_AUTH_IDENTITY_H

#include "core/role.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB_PERSON_MAX = 64 }; /* bytes of a person's name */

struct lab_identity {
    enum lab_role role;
    char name[LAB_PERSON_MAX + 1]; /* of the token or, on the Unix socket, of the user; "" when unknown */
    int64_t token;                 /* id of the token; 0: the request has none */
    bool on_socket;                /* the request came over the Unix socket, which only the lab's user can open */
    bool limited;                  /* whether the requests are subject to the rate limit */
};

#endif
