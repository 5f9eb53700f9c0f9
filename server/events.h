/* The event stream: what happened, in order, for everyone who listens. A bounded ring of finished event texts; whoever
 * falls behind it is told to start over (`reset`). Nothing here knows HTTP.
 */
#ifndef LAB_EVENTS_H
#define LAB_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_events;
struct lab_subscriber;

/* `capacity` events are kept for replay. NULL when out of memory. */
struct lab_events *lab_events_create(size_t capacity);
void lab_events_free(struct lab_events *events);

/* Publishes one event of `type` ("run.updated", "run.progress", "measurement", "device.telemetry") about `run` (NULL:
 * about no run). Takes the reference to `data`. Never blocks on a subscriber. */
void lab_events_publish(struct lab_events *events, const char *type, const char *run, json_t *data);

/* A new subscriber, from now on, or after `last_event_id` ("epoch-sequence") when it is not NULL; an id that is no
 * longer known makes the first event a `reset`. `run` NULL: all events. `wake` is called, from any thread and with no
 * lock held that a read takes, whenever something new may be there. */
struct lab_subscriber *lab_events_subscribe(struct lab_events *events, const char *run, const char *last_event_id,
                                            void (*wake)(void *context), void *context);
/* After it returns, `wake` is not called again. */
void lab_events_unsubscribe(struct lab_events *events, struct lab_subscriber *subscriber);

/* Copies as many bytes as are ready of the stream's text ("id: …\nevent: …\ndata: …\n\n"); 0 when there is nothing now.
 * When the subscriber fell behind the ring, the next text is a `reset` event that names the newest id. */
size_t lab_events_read(struct lab_events *events, struct lab_subscriber *subscriber, char *buffer, size_t size);

/* Ends all streams: wakes every subscriber; lab_events_ended is true from then on. */
void lab_events_end(struct lab_events *events);
bool lab_events_ended(const struct lab_events *events);

size_t lab_events_subscriber_count(struct lab_events *events);

#endif
