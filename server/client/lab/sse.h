/* A parser of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
#ifndef LAB_SSE_H
#define LAB_SSE_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB_EVENT_ID_SIZE = 64 };

/* The caller sets context and event; the other members start as 0. */
struct lab_sse {
    void *context;
    /* Called for each event that has a type; the texts are valid during the call. Comments (heartbeats) are skipped. */
    void (*event)(void *context, const char *type, const char *data);

    char *text; /* received bytes that do not yet form a complete event */
    size_t length, capacity;
    char last_id[LAB_EVENT_ID_SIZE]; /* of the last event that had one; empty: none */
};

/* Parses the next bytes of the stream, in pieces of any size. Returns false when out of memory. */
bool lab_sse_feed(struct lab_sse *sse, const char *bytes, size_t count);
/* Drops an event that is not complete, because its stream has ended. The parser is then at the beginning of the next
 * stream. */
void lab_sse_restart(struct lab_sse *sse);
void lab_sse_release(struct lab_sse *sse);

#endif
