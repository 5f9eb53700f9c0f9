/* The headers that a text can include. NVRTC gets them in memory, because it compiles without the file system. They are
 * found by name, and so are those that they include:
 *
 *   0. among the files of the request, also from the folder of one that includes another
 *   1. beside the including header, for "name"
 *   2. among the files compiled into this program: those of the shown sources ("transpose.h", "benchmark/check.h"), and
 *      the C library's headers in kernels/compiler/headers, of which NVRTC has none
 *   3. for the C++ library's, of which NVRTC has none either: made of <cuda/std/NAME>
 *   4. in the include folders of the toolkit
 *
 * A name that is not found is no error here: it may be in code that is switched off.
 */
#ifndef LAB_HEADERS_H
#define LAB_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

/* The header of the macros of a request, which a source begins with. */
#define LAB_MACROS_HEADER "gpulab_macros.h"

enum { LAB_HEADERS_MAX = 4096, LAB_HEADERS_BYTES_MAX = 32 << 20 };

struct lab_included_header;

/* Initialise with `{0}`; released by lab_headers_release. */
struct lab_headers {
    size_t count, bytes;
    const char **names, **texts; /* `count` of each, as nvrtcCreateProgram takes them */
    struct lab_included_header *items;
    size_t searched;  /* headers whose own headers were added */
    bool has_toolkit; /* the toolkit's include folder is there */
};

/* The functions below return false when there are more headers or bytes than the limits above, or not enough memory.
 * `folders` ends with NULL. */

/* Adds a file of the request, with a copy of its text. Before what includes it. */
bool lab_headers_add_own(struct lab_headers *headers, const char *name, const char *text);

/* Adds what `source` and the headers that were added before include. */
bool lab_headers_find(struct lab_headers *headers, const char *source, const char *const *folders);

/* Adds the header `name`, which the header `from` includes (another name: the source), and those that it includes;
 * nothing if it is not found. For a name that macros put together: they often name others in the same folder, so that
 * these are added too. */
bool lab_headers_add(struct lab_headers *headers, const char *name, const char *from, const char *const *folders);

/* Adds a header with this text, which is freed with the headers, or if it cannot be added. */
bool lab_headers_append(struct lab_headers *headers, const char *name, char *text);

void lab_headers_release(struct lab_headers *headers);

#endif
