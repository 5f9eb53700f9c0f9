/* server/events.c: order, replay, filters, subscribers that fall behind, and many threads at once. */
#include "events.h"
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct subscription {
    atomic_int wakes;
    struct lab_subscriber *subscriber;
};

static void count_wake(void *context)
{
    struct subscription *subscription = context;
    atomic_fetch_add(&subscription->wakes, 1);
}

static void subscribe(struct lab_events *events, struct subscription *subscription, const char *run, const char *last)
{
    atomic_store(&subscription->wakes, 0);
    subscription->subscriber =
        lab_events_subscribe(events, &(struct lab_event_filter){.run = run}, last, count_wake, subscription);
    assert_non_null(subscription->subscriber);
}

static void publish(struct lab_events *events, const char *run, int number)
{
    lab_events_publish(events, "measurement", &(struct lab_event_subject){.run = run},
                       json_pack("{s:i}", "number", number));
}

/* All available text, read in pieces of `piece` bytes; the caller frees it. */
static char *read_all(struct lab_events *events, struct subscription *subscription, size_t piece)
{
    enum { TEXT_MAX = 1 << 20 };
    char *text = calloc(1, TEXT_MAX);
    size_t length = 0, got;
    while ((got = lab_events_read(events, subscription->subscriber, text + length, piece)) > 0) {
        length += got;
        assert_true(length + piece < TEXT_MAX);
    }
    return text;
}

/* The id of the last event in a text. */
static void last_id(const char *text, char id[64])
{
    const char *line = NULL;
    for (const char *next = text; (next = strstr(next, "id: ")) != NULL; next++)
        line = next + 4;
    assert_non_null(line);
    snprintf(id, 64, "%.*s", (int)strcspn(line, "\n"), line);
}

static int count(const char *text, const char *part)
{
    int found = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        found++;
    return found;
}

TEST(test_text_of_an_event)
{
    struct lab_events *events = lab_events_create(8);
    struct subscription subscription;
    subscribe(events, &subscription, NULL, NULL);
    lab_events_publish(events, "run.updated", &(struct lab_event_subject){.run = "r"},
                       json_pack("{s:s}", "note", "two\nlines"));
    char *text = read_all(events, &subscription, 4096);
    unsigned long long epoch, sequence;
    int consumed = 0;
    assert_int_equal(sscanf(text, "id: %16llx-%llu\n%n", &epoch, &sequence, &consumed), 2);
    assert_int_equal(sequence, 1);
    assert_string_equal(text + consumed, "event: run.updated\ndata: {\"note\":\"two\\nlines\"}\n\n");
    assert_int_equal(atomic_load(&subscription.wakes), 1);
    free(text);
    lab_events_unsubscribe(events, subscription.subscriber);
    lab_events_free(events);
}

TEST(test_small_pieces_make_the_same_text)
{
    struct lab_events *events = lab_events_create(8);
    struct subscription one, other;
    subscribe(events, &one, NULL, NULL);
    subscribe(events, &other, NULL, NULL);
    for (int i = 0; i < 5; i++)
        publish(events, NULL, i);
    char *whole = read_all(events, &one, 4096), *pieces = read_all(events, &other, 1);
    assert_string_equal(whole, pieces);
    assert_int_equal(count(whole, "event: measurement\n"), 5);
    free(whole);
    free(pieces);
    lab_events_unsubscribe(events, one.subscriber);
    lab_events_unsubscribe(events, other.subscriber);
    lab_events_free(events);
}

TEST(test_a_new_subscriber_gets_later_events_only)
{
    struct lab_events *events = lab_events_create(8);
    publish(events, NULL, 1);
    struct subscription subscription;
    subscribe(events, &subscription, NULL, NULL);
    publish(events, NULL, 2);
    char *text = read_all(events, &subscription, 4096);
    assert_int_equal(count(text, "event: "), 1);
    assert_non_null(strstr(text, "{\"number\":2}"));
    free(text);
    lab_events_unsubscribe(events, subscription.subscriber);
    lab_events_free(events);
}

TEST(test_replay_after_an_id)
{
    struct lab_events *events = lab_events_create(8);
    struct subscription first, again;
    subscribe(events, &first, NULL, NULL);
    publish(events, NULL, 1);
    publish(events, NULL, 2);
    char *text = read_all(events, &first, 4096);
    char id[64];
    last_id(text, id);
    free(text);
    lab_events_unsubscribe(events, first.subscriber);
    publish(events, NULL, 3);
    publish(events, NULL, 4);
    subscribe(events, &again, NULL, id);
    text = read_all(events, &again, 4096);
    assert_int_equal(count(text, "event: measurement\n"), 2);
    assert_true(strstr(text, "{\"number\":3}") < strstr(text, "{\"number\":4}"));
    assert_non_null(strstr(text, "{\"number\":3}"));
    assert_null(strstr(text, "reset"));
    free(text);
    lab_events_unsubscribe(events, again.subscriber);
    lab_events_free(events);
}

TEST(test_unknown_ids_get_a_reset)
{
    struct lab_events *events = lab_events_create(8);
    struct subscription subscription;
    subscribe(events, &subscription, NULL, NULL);
    publish(events, NULL, 1);
    char *text = read_all(events, &subscription, 4096), id[64], future[80], tail[80];
    last_id(text, id);
    free(text);
    lab_events_unsubscribe(events, subscription.subscriber);
    snprintf(future, sizeof future, "%.17s999", id);
    snprintf(tail, sizeof tail, "%sx", id);
    const char *const unknown[] = {
        "", "x", "-1", "nothing-7", "0000000000000000-1", future, tail, "0-99999999999999999999"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        subscribe(events, &subscription, NULL, unknown[i]);
        publish(events, NULL, 2);
        text = read_all(events, &subscription, 4096);
        assert_int_equal(count(text, "event: "), 1); /* it replaces all events */
        assert_non_null(strstr(text, "event: reset\ndata: {\"newest\":\""));
        char newest[64];
        last_id(text, newest);
        free(text);
        lab_events_unsubscribe(events, subscription.subscriber);
        subscribe(events, &subscription, NULL, newest); /* its id is valid for going on */
        publish(events, NULL, 3);
        text = read_all(events, &subscription, 4096);
        assert_int_equal(count(text, "event: measurement"), 1);
        free(text);
        lab_events_unsubscribe(events, subscription.subscriber);
    }
    lab_events_free(events);
}

TEST(test_a_subscriber_that_falls_behind_gets_a_reset)
{
    struct lab_events *events = lab_events_create(4);
    struct subscription subscription;
    subscribe(events, &subscription, NULL, NULL);
    publish(events, NULL, 0);
    char first[24];
    assert_int_equal(lab_events_read(events, subscription.subscriber, first, sizeof first), sizeof first);
    for (int i = 1; i < 10; i++)
        publish(events, NULL, i);
    char *text = read_all(events, &subscription, 4096);
    assert_non_null(strstr(text, "{\"number\":0}\n\n")); /* an event that was read in part is completed */
    assert_int_equal(count(text, "event: reset"), 1);
    assert_int_equal(count(text, "event: measurement"), 0); /* the reset replaces all events since */
    free(text);
    publish(events, NULL, 10);
    text = read_all(events, &subscription, 4096);
    assert_int_equal(count(text, "event: "), 1);
    assert_non_null(strstr(text, "{\"number\":10}"));
    free(text);
    lab_events_unsubscribe(events, subscription.subscriber);
    lab_events_free(events);
}

TEST(test_an_id_too_old_gets_a_reset)
{
    struct lab_events *events = lab_events_create(4);
    struct subscription subscription;
    subscribe(events, &subscription, NULL, NULL);
    publish(events, NULL, 0);
    char *text = read_all(events, &subscription, 4096), id[64];
    last_id(text, id);
    free(text);
    lab_events_unsubscribe(events, subscription.subscriber);
    for (int more = 1; more <= 5; more++) {
        publish(events, NULL, more);
        subscribe(events, &subscription, NULL, id);
        text = read_all(events, &subscription, 4096);
        assert_int_equal(count(text, "event: measurement"), more <= 4 ? more : 0);
        assert_int_equal(count(text, "event: reset"), more <= 4 ? 0 : 1);
        free(text);
        lab_events_unsubscribe(events, subscription.subscriber);
    }
    lab_events_free(events);
}

TEST(test_a_subscriber_to_a_type_is_woken_by_it_alone)
{
    struct lab_events *events = lab_events_create(4);
    struct subscription typed = {0};
    typed.subscriber =
        lab_events_subscribe(events, &(struct lab_event_filter){.type = "wanted"}, NULL, count_wake, &typed);
    for (int i = 0; i < 100; i++)
        publish(events, "mine", i);
    assert_int_equal(atomic_load(&typed.wakes), 0);
    lab_events_publish(events, "wanted", &(struct lab_event_subject){.run = "mine"}, json_object());
    assert_int_equal(atomic_load(&typed.wakes), 1);
    char *text = read_all(events, &typed, 4096);
    assert_int_equal(count(text, "event: "), 1);
    assert_non_null(strstr(text, "event: wanted\n"));
    free(text);
    lab_events_unsubscribe(events, typed.subscriber);
    lab_events_free(events);
}

TEST(test_events_of_other_runs_cause_no_wake_and_no_reset)
{
    struct lab_events *events = lab_events_create(4);
    struct subscription mine;
    subscribe(events, &mine, "mine", NULL);
    for (int i = 0; i < 100; i++)
        publish(events, i % 2 == 0 ? "other" : NULL, i);
    assert_int_equal(atomic_load(&mine.wakes), 0);
    publish(events, "mine", 100);
    assert_int_equal(atomic_load(&mine.wakes), 1);
    publish(events, "other", 101);
    char *text = read_all(events, &mine, 4096);
    assert_int_equal(count(text, "event: "), 1);
    assert_non_null(strstr(text, "{\"number\":100}"));
    free(text);
    lab_events_unsubscribe(events, mine.subscriber);
    lab_events_free(events);
}

TEST(test_a_subscriber_of_a_person_gets_the_events_of_that_person_alone)
{
    static const char *const people[] = {NULL, "ben", "ada", "ada "};
    struct lab_events *events = lab_events_create(8);
    struct subscription adas = {0};
    adas.subscriber =
        lab_events_subscribe(events, &(struct lab_event_filter){.person = "ada"}, NULL, count_wake, &adas);
    for (int i = 0; i < 4; i++)
        lab_events_publish(events, "measurement", &(struct lab_event_subject){.run = "same", .person = people[i]},
                           json_pack("{s:i}", "number", i));
    assert_int_equal(atomic_load(&adas.wakes), 1);
    char *text = read_all(events, &adas, 4096);
    assert_int_equal(count(text, "event: "), 1);
    assert_non_null(strstr(text, "{\"number\":2}"));
    free(text);
    lab_events_unsubscribe(events, adas.subscriber);
    lab_events_free(events);
}

TEST(test_a_secret_is_for_its_person_and_admins)
{
    static const struct {
        const char *viewer, *person;
        bool secret;
        int expected;
    } cases[] = {{"ada", "ben", true, 0}, {"ada", "ada", true, 1}, {"ada", "ben", false, 1}, {"ada", NULL, true, 0},
                 {"", NULL, true, 0},     {NULL, "ben", true, 1},  {NULL, NULL, true, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_events *events = lab_events_create(8);
        struct subscription one = {0};
        const struct lab_event_filter filter = {.viewer = cases[i].viewer};
        one.subscriber = lab_events_subscribe(events, &filter, NULL, count_wake, &one);
        const struct lab_event_subject about = {"run", cases[i].person, cases[i].secret};
        lab_events_publish(events, "measurement", &about, json_object());
        char *text = read_all(events, &one, 4096);
        assert_int_equal(count(text, "event: "), cases[i].expected);
        free(text);
        lab_events_unsubscribe(events, one.subscriber);
        lab_events_free(events);
    }
}

TEST(test_an_event_without_memory_becomes_a_reset)
{
    struct lab_events *events = lab_events_create(4);
    struct subscription mine;
    subscribe(events, &mine, "mine", NULL);
    lab_events_publish(events, "measurement", &(struct lab_event_subject){.run = "other"},
                       NULL); /* as if json_pack had run out of memory */
    assert_int_equal(atomic_load(&mine.wakes), 1);
    char *text = read_all(events, &mine, 4096);
    assert_int_equal(count(text, "event: reset"), 1);
    free(text);
    lab_events_unsubscribe(events, mine.subscriber);
    lab_events_free(events);
}

TEST(test_an_event_wakes_all_its_subscribers)
{
    struct lab_events *events = lab_events_create(4);
    struct subscription all, mine;
    subscribe(events, &all, NULL, NULL);
    subscribe(events, &mine, "mine", NULL);
    assert_int_equal(lab_events_subscriber_count(events), 2);
    publish(events, "mine", 1);
    assert_int_equal(atomic_load(&all.wakes), 1);
    assert_int_equal(atomic_load(&mine.wakes), 1);
    lab_events_unsubscribe(events, all.subscriber);
    lab_events_unsubscribe(events, mine.subscriber);
    assert_int_equal(lab_events_subscriber_count(events), 0);
    lab_events_free(events);
}

TEST(test_epochs_differ)
{
    char ids[2][64];
    for (int i = 0; i < 2; i++) {
        struct lab_events *events = lab_events_create(4);
        struct subscription subscription;
        subscribe(events, &subscription, NULL, NULL);
        publish(events, NULL, 1);
        char *text = read_all(events, &subscription, 4096);
        last_id(text, ids[i]);
        free(text);
        lab_events_unsubscribe(events, subscription.subscriber);
        lab_events_free(events);
    }
    assert_string_not_equal(ids[0], ids[1]);
}

/* --- many threads ------------------------------------------------------------------------------------------------- */

enum { EVENTS = 4000, READERS = 4 };

struct shared {
    struct lab_events *events;
    atomic_bool published;
    atomic_int subscribed, received, resets;
};

static void *publish_many(void *context)
{
    struct shared *shared = context;
    for (int i = 0; i < EVENTS; i++)
        publish(shared->events, i % 2 == 0 ? "even" : "odd", i);
    atomic_store(&shared->published, true);
    return NULL;
}

/* Reads until everything is published, while other subscribers come and go; each event or a reset in its place must be
 * read. */
static void *read_many(void *context)
{
    struct shared *shared = context;
    struct subscription subscription;
    bool last = false;
    subscribe(shared->events, &subscription, NULL, NULL);
    atomic_fetch_add(&shared->subscribed, 1);
    for (;;) {
        bool over = atomic_load(&shared->published);
        char *text = read_all(shared->events, &subscription, 512);
        atomic_fetch_add(&shared->received, count(text, "event: measurement"));
        atomic_fetch_add(&shared->resets, count(text, "event: reset"));
        free(text);
        if (last)
            break;
        last = over;
        struct subscription other;
        subscribe(shared->events, &other, "odd", NULL);
        lab_events_unsubscribe(shared->events, other.subscriber);
    }
    lab_events_unsubscribe(shared->events, subscription.subscriber);
    return NULL;
}

TEST(test_many_threads)
{
    struct shared shared = {.events = lab_events_create(EVENTS + 1)};
    pthread_t publisher, readers[READERS];
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, read_many, &shared);
    while (atomic_load(&shared.subscribed) < READERS) {
        struct timespec moment = {0, 1000000};
        nanosleep(&moment, NULL);
    }
    pthread_create(&publisher, NULL, publish_many, &shared);
    pthread_join(publisher, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    assert_int_equal(atomic_load(&shared.received), READERS * EVENTS);
    assert_int_equal(atomic_load(&shared.resets), 0);
    assert_int_equal(lab_events_subscriber_count(shared.events), 0);
    lab_events_free(shared.events);
}
