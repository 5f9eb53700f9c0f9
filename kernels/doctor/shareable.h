/* Texts of others that everyone may see. */
#ifndef LAB_DOCTOR_SHAREABLE_H
#define LAB_DOCTOR_SHAREABLE_H

#include <stddef.h>

/* Who must not be recognised. */
struct doctor_private {
    const char *home, *user, *host; /* "": unknown */
};

/* Copies a text of another program or of the system to `shared`, of `size` bytes, without what tells who and where
 * this is: home folders become "~", the names of user and machine "…", the UUIDs of devices "GPU-…" and "MIG-…".
 * Returns `shared`. NULL becomes "". */
const char *doctor_shareable_of(const struct doctor_private *private, const char *text, char *shared, size_t size);

/* The same for the user and the machine of this process. */
const char *doctor_shareable(const char *text, char *shared, size_t size);

#endif
