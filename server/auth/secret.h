/* Random secrets (tokens, sessions) and their digests. Only digests are kept. */
#ifndef LAB_AUTH_SECRET_H
#define LAB_AUTH_SECRET_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LAB_SECRET_SIZE = 51,  /* as text: a prefix of at most 7 bytes, 32 random bytes in base64url, a NUL */
    LAB_DIGEST_BYTES = 32, /* SHA-256 */
};

/* Writes `prefix` (at most 7 bytes) and 32 random bytes in base64url without padding. False when there is no
 * randomness. */
bool lab_secret_create(const char *prefix, char secret[LAB_SECRET_SIZE]);
/* The SHA-256 of a text of any length. */
void lab_secret_digest(const char *text, size_t length, unsigned char digest[LAB_DIGEST_BYTES]);
/* Takes the same time whatever the digests are. */
bool lab_digest_equal(const unsigned char *left, const unsigned char *right);

#endif
