/* The log of a compilation as JSON: messages with their places. */
#ifndef LAB_MESSAGES_H
#define LAB_MESSAGES_H

#include <jansson.h>

enum { LAB_MESSAGES_MAX = 100, LAB_MESSAGE_BYTES_MAX = 2000 };

/* The messages of NVRTC and of its assembler, ptxas, errors first: [{"severity":"error|warning|note","file",
 * "line","column","text"}…]. "file" and "line" are absent where a message has no place; so is "column", which counts
 * characters from 1, where the log does not show it. At most LAB_MESSAGES_MAX are returned. Left out are
 * warnings about other files than `name`, the source: those are headers of the toolkit. `log` must be valid UTF-8. */
json_t *lab_messages(const char *log, const char *name);

#endif
