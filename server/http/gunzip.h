/* Reads a gzip file (RFC 1952) as a stream. */
#ifndef LAB_HTTP_GUNZIP_H
#define LAB_HTTP_GUNZIP_H

#include "core/errors.h"

#include <stdio.h>

/* Bounds against a small file that becomes an enormous one: the text has at most `size_max` bytes, and beyond
 * `free_bytes` of it at most `ratio_max` for each byte of the file. */
struct lab_gunzip_limits {
    unsigned long long size_max, free_bytes;
    unsigned ratio_max;
};

/* Whether the file, whose position is kept, begins as gzip. */
bool lab_is_gzip(FILE *file);

/* Opens the text of a gzip file, which may have several members one after the other, and is read from its position on
 * while the text is read. When the file is cut or corrupt or exceeds a limit, reading fails (ferror), and *error says
 * why. Closing it leaves the file open. All that is passed must outlive it. NULL when out of memory. */
FILE *lab_gunzip_open(FILE *file, const struct lab_gunzip_limits *limits, struct lab_error *error);

#endif
