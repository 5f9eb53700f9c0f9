/* Compression of bodies with gzip (RFC 1952). */
#ifndef LAB_HTTP_COMPRESS_H
#define LAB_HTTP_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether an Accept-Encoding list has "gzip" or "x-gzip" with a weight that is not zero. NULL: the header is absent. */
bool lab_accepts_gzip(const char *list);
/* The compressed form of `body`, from malloc, with its size in *compressed. NULL when it would not be smaller, or out
 * of memory. Takes 300 KiB of memory while it runs. */
char *lab_gzip(const char *body, size_t length, size_t *compressed);

#endif
