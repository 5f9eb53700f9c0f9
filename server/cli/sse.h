/* Server-sent events, taken apart as their text comes in. What they say is the same whether it comes over HTTP or from
 * the event ring of this process.
 */
#ifndef LAB_SSE_H
#define LAB_SSE_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0} but for context and event; released with lab_sse_release. */
struct lab_sse {
    void *context;
    /* One event; both texts are valid during the call. Comments (heartbeats) are not told. */
    void (*event)(void *context, const char *type, const char *data);

    char *text; /* what has come in and is not yet a whole event */
    size_t length, capacity;
};

/* Takes the next bytes of the stream; false when out of memory. */
bool lab_sse_feed(struct lab_sse *sse, const char *bytes, size_t count);
void lab_sse_release(struct lab_sse *sse);

#endif
