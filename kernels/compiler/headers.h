/* The headers that a text can include. NVRTC gets them in memory, because it compiles without the file system. They are
 * found by name, and so are those that they include:
 *
 *   1. beside the including header, for "name"
 *   2. among the files compiled into this program: those of the shown sources ("transpose.h", "benchmark/check.h"), and
 *      the C library's headers in kernels/compiler/headers, of which NVRTC has none
 *   3. in the include folders of the toolkit
 *
 * A name that is not found is no error here: it may be in code that is switched off.
 */
#ifndef LAB_HEADERS_H
#define LAB_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB_HEADERS_MAX = 4096, LAB_HEADERS_BYTES_MAX = 32 << 20 };

struct lab_header;

/* Initialise with `{0}`; released by lab_headers_free. */
struct lab_headers {
    size_t count, bytes;
    const char **names, **texts; /* `count` of each, as nvrtcCreateProgram takes them */
    struct lab_header *items;
};

/* Adds what `source` includes. `folders` ends with NULL. False when there are more headers or bytes than the limits above,
 * or not enough memory. */
bool lab_headers_find(struct lab_headers *headers, const char *source, const char *const *folders);

void lab_headers_free(struct lab_headers *headers);

#endif
