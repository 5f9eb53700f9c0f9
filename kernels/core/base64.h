/* Base64 (RFC 4648): bytes as text. That of section 4, with padding, is for compiled kernels and fields within JSON;
 * that of section 5, whose alphabet needs no escapes in URLs, without padding, for tokens and cursors.
 */
#ifndef LAB_BASE64_H
#define LAB_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* Encodes `size` bytes with padding. Returns a text that the caller frees; NULL when out of memory. */
char *lab_base64_encode(const void *bytes, size_t size);

/* Decodes a text of `length` characters with its padding. Sets *bytes to memory that the caller frees, and *size.
 * Returns false if the text is not Base64 or when out of memory. */
bool lab_base64_decode(const char *text, size_t length, unsigned char **bytes, size_t *size);

/* The length of `size` bytes as a text of section 5. */
#define LAB_BASE64URL_LENGTH(size) (((size)*4 + 2) / 3)

/* Writes LAB_BASE64URL_LENGTH(size) characters of section 5 and a NUL. */
void lab_base64url_write(const void *bytes, size_t size, char *text);

/* Reads `size` bytes from a text of section 5. False if its length is another or it has other characters; the bytes are
 * undefined then. */
bool lab_base64url_read(const char *text, void *bytes, size_t size);

#endif
