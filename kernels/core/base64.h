/* Base64 (RFC 4648, section 4): bytes as text, in which compiled kernels travel within JSON. */
#ifndef LAB_BASE64_H
#define LAB_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* Encodes `size` bytes with padding. Returns a text that the caller frees; NULL when out of memory. */
char *lab_base64_encode(const void *bytes, size_t size);

/* Decodes a text of `length` characters with its padding. Sets *bytes to memory that the caller frees, and *size. Returns false
 * if the text is not Base64 or when out of memory. */
bool lab_base64_decode(const char *text, size_t length, unsigned char **bytes, size_t *size);

#endif
