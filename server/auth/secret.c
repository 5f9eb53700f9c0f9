#include "secret.h"

#include "core/base64.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { RANDOM_BYTES = 32 };

bool lab_secret_create(const char *prefix, char secret[LAB_SECRET_SIZE])
{
    unsigned char bytes[RANDOM_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    int length = snprintf(secret, LAB_SECRET_SIZE, "%.7s", prefix);
    lab_base64url_write(bytes, sizeof bytes, secret + length);
    gnutls_memset(bytes, 0, sizeof bytes);
    return true;
}

void lab_secret_digest(const char *text, size_t length, unsigned char digest[LAB_DIGEST_BYTES])
{
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, text, length, digest) != 0)
        for (size_t i = 0; i < LAB_DIGEST_BYTES; i++)
            digest[i] = 0; /* no SHA-256 has this value, so nothing matches it */
}

/* Not gnutls_memcmp, which takes twenty times longer: a request is compared with all tokens. */
bool lab_digest_equal(const unsigned char *left, const unsigned char *right)
{
    uint64_t words[2][LAB_DIGEST_BYTES / sizeof(uint64_t)], different = 0;
    memcpy(words[0], left, sizeof words[0]);
    memcpy(words[1], right, sizeof words[1]);
    for (size_t i = 0; i < LAB_DIGEST_BYTES / sizeof(uint64_t); i++)
        different |= words[0][i] ^ words[1][i];
    return different == 0;
}
