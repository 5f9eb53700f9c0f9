/* The event stream: distributes events in order to all subscribers, as text in the format of server-sent events; it
 * does not depend on HTTP. The last events are kept in a ring. A subscriber that has not read an event before the ring
 * drops it gets a `reset` event, which means that it must read the current state again. All functions may be called
 * from any thread, but two functions for the same subscriber must not run at the same time.
 */
#ifndef LAB_EVENTS_H
#define LAB_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct lab_events;
struct lab_subscriber;

/* `capacity` is the number of events in the ring. NULL when out of memory. */
struct lab_events *lab_events_create(size_t capacity);
/* Must be called after all subscribers have unsubscribed. NULL is allowed and does nothing. */
void lab_events_free(struct lab_events *events);

/* What an event is about. Strings are copied. */
struct lab_event_subject {
    const char *run;    /* its id; NULL: not about a run */
    const char *person; /* who requested the run; NULL: unknown, or none */
    bool secret;        /* only that person and admins may know of the run now */
};
/* Publishes an event of `type`, a constant that is not copied; server/api/API.md lists the types. `about` NULL: not
 * about a run. Takes the reference to `data`; NULL means that memory ran out, and subscribers get a `reset` instead.
 * Never waits for a subscriber to read. */
void lab_events_publish(struct lab_events *events, const char *type, const struct lab_event_subject *about,
                        json_t *data);

/* Which events a subscriber gets: those that have every value that is given. NULL: any. */
struct lab_event_filter {
    const char *type; /* not copied, a constant */
    const char *run, *person;
    const char *viewer; /* gets no secret of others; NULL: an admin, who gets all */
};
/* Subscribes to the events of a filter. The first event is the next one, or with `last_event_id` ("epoch-sequence") the
 * one after that id. If the id is unknown or too old, the first event is a `reset`. Whenever new text may be available,
 * `wake` is called from any thread; it may call lab_events_read but no other function of this header. NULL when out of
 * memory. */
struct lab_subscriber *lab_events_subscribe(struct lab_events *events, const struct lab_event_filter *filter,
                                            const char *last_event_id, void (*wake)(void *context), void *context);
/* `wake` is not called after it returns. NULL is allowed and does nothing. */
void lab_events_unsubscribe(struct lab_events *events, struct lab_subscriber *subscriber);

/* Copies up to `size` bytes of the stream's text ("id: …\nevent: …\ndata: …\n\n") and returns how many; 0 when there
 * are no new events. An event may be split over several calls. After the subscriber fell behind the ring, the next
 * event is a `reset` with the id of the newest event. */
size_t lab_events_read(struct lab_events *events, struct lab_subscriber *subscriber, char *buffer, size_t size);

/* The number of subscribers of all types. */
size_t lab_events_subscriber_count(struct lab_events *events);

#endif
