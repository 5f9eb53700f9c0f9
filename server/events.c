/* The event stream: a ring of event texts, and subscribers that each read it at their own pace.
 *
 * There are two locks. `ring_lock` protects the ring and the subscribers' positions in it, and is held only while text
 * is copied. `list_lock` protects the list of subscribers and is held while they are woken, so that a removed
 * subscriber is not woken; lab_events_read never takes it. A function that needs both takes `list_lock` first.
 */
#include "events.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/random.h>

enum { ID_LINE_MAX = 48 }; /* "id: " + 16 hexadecimal digits + '-' + 20 decimal digits + '\n' */

struct event {
    size_t references; /* one of the ring, and one of each subscriber that is reading the event */
    size_t length;     /* bytes from `start` */
    const char *type;
    char *run;         /* id of the run that the event is about; NULL: not about a run */
    char *person;      /* who requested that run; NULL: unknown, or none */
    bool secret;       /* for that person and admins alone */
    const char *start; /* in `text`; the id line is written in front of the rest once the sequence is known */
    char text[];
};

struct lab_subscriber {
    LIST_ENTRY(lab_subscriber) link;
    const char *type;            /* gets only events of this type; NULL: all */
    char *run, *person;          /* gets only events about this run, of this person; NULL: of all */
    char *viewer;                /* gets no secret of others; NULL: gets all */
    uint64_t cursor;             /* the sequence of the next event to check */
    struct event *current;       /* the event that has been read in part; NULL: none */
    size_t offset;               /* bytes of `current` that were read */
    bool reset;                  /* the next event is a reset */
    bool due;                    /* to be woken when ring_lock is released */
    void (*wake)(void *context); /* called when there may be new text */
    void *context;
};

struct lab_events {
    pthread_mutex_t list_lock, ring_lock;
    LIST_HEAD(, lab_subscriber) subscribers;
    size_t subscriber_count;
    uint64_t epoch;  /* a random number, so that event ids of another process are not mistaken for ids of this one */
    uint64_t next;   /* the sequence of the next event; the first is 1 */
    size_t capacity; /* of the ring, in events */
    struct event **ring; /* the event of sequence s at s % capacity; NULL: lost because memory ran out */
};

static void release_event(struct event *event)
{
    if (event == NULL || --event->references > 0)
        return;
    free(event->run);
    free(event->person);
    free(event);
}

/* A copy in *copy; NULL of NULL. False when out of memory. */
static bool copy_text(const char *text, char **copy)
{
    *copy = text != NULL ? strdup(text) : NULL;
    return text == NULL || *copy != NULL;
}

/* Creates an event whose text lacks the id line. NULL when out of memory. */
static struct event *make_event(const char *type, const struct lab_event_subject *about, const char *data)
{
    size_t rest = strlen("event: \ndata: \n\n") + strlen(type) + strlen(data);
    struct event *event = malloc(sizeof *event + ID_LINE_MAX + rest + 1);
    if (event == NULL)
        return NULL;
    *event = (struct event){.references = 1, .length = rest, .type = type, .secret = about->secret};
    if (!copy_text(about->run, &event->run) || !copy_text(about->person, &event->person)) {
        release_event(event);
        return NULL;
    }
    snprintf(event->text + ID_LINE_MAX, rest + 1, "event: %s\ndata: %s\n\n", type, data);
    return event;
}

static void set_id(struct event *event, uint64_t epoch, uint64_t sequence)
{
    char line[ID_LINE_MAX + 1];
    size_t length = (size_t)snprintf(line, sizeof line, "id: %016" PRIx64 "-%" PRIu64 "\n", epoch, sequence);
    char *start = event->text + ID_LINE_MAX - length;
    memcpy(start, line, length);
    event->start = start;
    event->length += length;
}

struct lab_events *lab_events_create(size_t capacity)
{
    struct lab_events *events = calloc(1, sizeof *events);
    if (events == NULL)
        return NULL;
    events->capacity = capacity > 0 ? capacity : 1;
    events->ring = calloc(events->capacity, sizeof(struct event *));
    if (events->ring == NULL || getrandom(&events->epoch, sizeof events->epoch, 0) != (ssize_t)sizeof events->epoch) {
        free(events->ring);
        free(events);
        return NULL;
    }
    events->next = 1;
    pthread_mutex_init(&events->list_lock, NULL);
    pthread_mutex_init(&events->ring_lock, NULL);
    return events;
}

void lab_events_free(struct lab_events *events)
{
    if (events == NULL)
        return;
    for (size_t i = 0; i < events->capacity; i++)
        release_event(events->ring[i]);
    pthread_mutex_destroy(&events->list_lock);
    pthread_mutex_destroy(&events->ring_lock);
    free(events->ring);
    free(events);
}

/* The sequence of the oldest event in the ring. */
static uint64_t oldest(const struct lab_events *events)
{
    return events->next > events->capacity ? events->next - events->capacity : 1;
}

/* Whether a value of an event is what a subscriber asks for. */
static bool meets(const char *wanted, const char *value)
{
    return wanted == NULL || (value != NULL && strcmp(wanted, value) == 0);
}

static bool concerns(const struct lab_subscriber *subscriber, const struct event *event)
{
    return meets(subscriber->type, event->type) && meets(subscriber->run, event->run) &&
           meets(subscriber->person, event->person) && (!event->secret || meets(subscriber->viewer, event->person));
}

/* Appends the event (NULL: it was lost because memory ran out) to the ring and marks the subscribers that it concerns
 * as due. A subscriber that it does not concern, and that has read everything before, is moved past it immediately.
 * Otherwise the ring would drop events about other runs that this subscriber has not passed, and it would get a
 * `reset`. */
static void append(struct lab_events *events, struct event *event)
{
    uint64_t sequence = events->next++;
    struct event **slot = &events->ring[sequence % events->capacity];
    release_event(*slot);
    *slot = event;
    if (event != NULL)
        set_id(event, events->epoch, sequence);
    struct lab_subscriber *each;
    LIST_FOREACH (each, &events->subscribers, link) {
        each->due = event == NULL || concerns(each, event);
        if (!each->due && each->cursor == sequence)
            each->cursor++;
    }
}

void lab_events_publish(struct lab_events *events, const char *type, const struct lab_event_subject *about,
                        json_t *data)
{
    static const struct lab_event_subject nothing = {0};
    char *text = data != NULL ? json_dumps(data, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(data);
    struct event *event = text != NULL ? make_event(type, about != NULL ? about : &nothing, text) : NULL;
    free(text);

    struct lab_subscriber *each;
    pthread_mutex_lock(&events->list_lock);
    pthread_mutex_lock(&events->ring_lock);
    append(events, event);
    pthread_mutex_unlock(&events->ring_lock);
    LIST_FOREACH (each, &events->subscribers, link)
        if (each->due)
            each->wake(each->context);
    pthread_mutex_unlock(&events->list_lock);
}

/* Sets *cursor to the sequence after `id`. False if the id is malformed or unknown, or if events after it are no longer
 * in the ring. */
static bool parse_id(const struct lab_events *events, const char *id, uint64_t *cursor)
{
    char epoch[17];
    snprintf(epoch, sizeof epoch, "%016" PRIx64, events->epoch);
    if (strncmp(id, epoch, 16) != 0 || id[16] != '-')
        return false;
    const char *digits = id + 17;
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 19 || digits[length] != '\0')
        return false;
    uint64_t sequence = strtoull(digits, NULL, 10);
    *cursor = sequence + 1;
    return *cursor >= oldest(events) && *cursor <= events->next;
}

static void free_subscriber(struct lab_subscriber *subscriber)
{
    free(subscriber->run);
    free(subscriber->person);
    free(subscriber->viewer);
    free(subscriber);
}

struct lab_subscriber *lab_events_subscribe(struct lab_events *events, const struct lab_event_filter *filter,
                                            const char *last_event_id, void (*wake)(void *context), void *context)
{
    struct lab_subscriber *subscriber = calloc(1, sizeof *subscriber);
    if (subscriber == NULL)
        return NULL;
    subscriber->type = filter->type;
    subscriber->wake = wake;
    subscriber->context = context;
    if (!copy_text(filter->run, &subscriber->run) || !copy_text(filter->person, &subscriber->person) ||
        !copy_text(filter->viewer, &subscriber->viewer)) {
        free_subscriber(subscriber);
        return NULL;
    }
    pthread_mutex_lock(&events->list_lock);
    pthread_mutex_lock(&events->ring_lock);
    subscriber->cursor = events->next;
    if (last_event_id != NULL)
        subscriber->reset = !parse_id(events, last_event_id, &subscriber->cursor);
    LIST_INSERT_HEAD(&events->subscribers, subscriber, link);
    events->subscriber_count += filter->type == NULL;
    pthread_mutex_unlock(&events->ring_lock);
    pthread_mutex_unlock(&events->list_lock);
    return subscriber;
}

void lab_events_unsubscribe(struct lab_events *events, struct lab_subscriber *subscriber)
{
    if (subscriber == NULL)
        return;
    pthread_mutex_lock(&events->list_lock);
    pthread_mutex_lock(&events->ring_lock);
    LIST_REMOVE(subscriber, link);
    events->subscriber_count -= subscriber->type == NULL;
    release_event(subscriber->current);
    pthread_mutex_unlock(&events->ring_lock);
    pthread_mutex_unlock(&events->list_lock);
    free_subscriber(subscriber);
}

/* Creates a `reset` event. It replaces all events up to the newest, whose id it has. */
static struct event *make_reset(const struct lab_events *events)
{
    char data[64];
    snprintf(data, sizeof data, "{\"newest\":\"%016" PRIx64 "-%" PRIu64 "\"}", events->epoch, events->next - 1);
    struct event *event = make_event("reset", &(struct lab_event_subject){0}, data);
    if (event != NULL)
        set_id(event, events->epoch, events->next - 1);
    return event;
}

/* Makes the next event that concerns the subscriber its current one. False when there is none. */
static bool take_next(struct lab_events *events, struct lab_subscriber *subscriber)
{
    subscriber->offset = 0;
    while (!subscriber->reset && subscriber->cursor >= oldest(events) && subscriber->cursor < events->next) {
        struct event *event = events->ring[subscriber->cursor % events->capacity];
        if (event == NULL)
            break;
        subscriber->cursor++;
        if (concerns(subscriber, event)) {
            event->references++;
            subscriber->current = event;
            return true;
        }
    }
    if (!subscriber->reset && subscriber->cursor == events->next)
        return false;
    subscriber->reset = true;
    subscriber->current = make_reset(events);
    if (subscriber->current == NULL)
        return false;
    subscriber->reset = false;
    subscriber->cursor = events->next;
    return true;
}

size_t lab_events_read(struct lab_events *events, struct lab_subscriber *subscriber, char *buffer, size_t size)
{
    size_t written = 0;
    pthread_mutex_lock(&events->ring_lock);
    while (written < size && (subscriber->current != NULL || take_next(events, subscriber))) {
        struct event *event = subscriber->current;
        size_t left = event->length - subscriber->offset;
        size_t part = left < size - written ? left : size - written;
        memcpy(buffer + written, event->start + subscriber->offset, part);
        written += part;
        subscriber->offset += part;
        if (part == left) {
            subscriber->current = NULL;
            release_event(event);
        }
    }
    pthread_mutex_unlock(&events->ring_lock);
    return written;
}

size_t lab_events_subscriber_count(struct lab_events *events)
{
    pthread_mutex_lock(&events->list_lock);
    size_t count = events->subscriber_count;
    pthread_mutex_unlock(&events->list_lock);
    return count;
}
