/* Checks of order and time: streams, events, the latch, ways to wait, the clock. */
#include "runtime_check.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BYTES = 1 << 20 };

static void pause_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

void check_events(struct fixture *fixture)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    void *here = NULL, *there = NULL;
    struct lab_event *start = r->event_create(d), *stop = r->event_create(d);
    struct lab_stream *other = r->stream_create(d);
    if (!expect_call(fixture, start != NULL && stop != NULL && other != NULL, "event_create") ||
        !expect_call(fixture, r->allocate(d, LAB_MEMORY_PINNED, BYTES, &here), "allocate") ||
        !expect_call(fixture, r->allocate(d, LAB_MEMORY_DEVICE, BYTES, &there), "allocate"))
        goto out;

    double seconds = -1, before = now_s();
    bool passed = false;
    expect_call(fixture,
                r->event_record(d, start, fixture->stream) &&
                    r->copy(d, fixture->stream, there, here, BYTES, LAB_H2D) &&
                    r->event_record(d, stop, fixture->stream) && r->stream_wait(d, other, stop) &&
                    r->copy(d, other, here, there, BYTES, LAB_D2H) && r->event_synchronize(d, stop),
                "a copy between two events");
    double wall = now_s() - before;
    expect_call(fixture, r->event_elapsed(d, start, stop, &seconds), "event_elapsed");
    expect(fixture, seconds > 0 && seconds <= wall + 1e-6, "1 MiB took %g s between events, %g s by the wall clock",
           seconds, wall);
    expect_call(fixture, r->event_elapsed(d, stop, start, &seconds), "event_elapsed, backwards");
    expect(fixture, seconds < 0, "the time between swapped events must be negative: %g", seconds);
    expect_call(fixture, r->event_query(d, stop, &passed), "event_query");
    expect(fixture, passed, "an event that was waited for must be complete");
    expect_call(fixture, r->stream_synchronize(d, other), "stream_synchronize");
out:
    r->free(d, LAB_MEMORY_DEVICE, there);
    r->free(d, LAB_MEMORY_PINNED, here);
    r->stream_free(d, other);
    r->event_free(d, stop);
    r->event_free(d, start);
    r->event_free(d, NULL);
    r->stream_free(d, NULL);
}

/* --- the latch ---------------------------------------------------------------------------------------------------- */

static void check_closed(struct fixture *fixture, struct lab_latch *latch, struct lab_event *gate)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    bool passed = true, timed_out = true;
    expect_call(fixture, r->latch_close(d, latch, fixture->stream, 5) && r->event_record(d, gate, fixture->stream),
                "latch_close");
    pause_for(0.02);
    expect_call(fixture, r->event_query(d, gate, &passed), "event_query");
    expect(fixture, !passed, "a closed latch must block its stream");
    r->latch_open(d, latch);
    expect_call(fixture, r->stream_synchronize(d, fixture->stream), "stream_synchronize");
    expect_call(fixture, r->latch_timed_out(d, latch, &timed_out), "latch_timed_out");
    expect(fixture, !timed_out, "a latch that was opened must not time out");
}

static void check_time_out(struct fixture *fixture, struct lab_latch *latch)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    bool timed_out = false;
    double start = now_s();
    expect_call(fixture, r->latch_close(d, latch, fixture->stream, 0.05) && r->stream_synchronize(d, fixture->stream),
                "a latch that is not opened");
    double waited = now_s() - start;
    expect_call(fixture, r->latch_timed_out(d, latch, &timed_out), "latch_timed_out");
    expect(fixture, timed_out && waited > 0.045 && waited < 1, "a latch must time out after 0.05 s, not %g s", waited);
    r->latch_open(d, latch);
}

/* Queues every kind of work while a latch is closed: anything that is loaded or allocated at first use would wait for
 * the latch. */
static void check_queueing_while_closed(struct fixture *fixture, struct lab_latch *latch, struct lab_event *gate)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    struct lab_stream *other = r->stream_create(d);
    void *here = NULL, *there = NULL;
    uint64_t wrong = 1;
    bool timed_out = true;
    if (!expect_call(fixture, other != NULL && r->allocate(d, LAB_MEMORY_PINNED, BYTES, &here), "allocate") ||
        !expect_call(fixture, r->allocate(d, LAB_MEMORY_DEVICE, BYTES, &there), "allocate"))
        goto out;
    struct lab_plan *fill =
        r->prepare(d, &(struct lab_operation){LAB_OPERATION_FILL, lab_region_of(here, BYTES), .seed = 3});
    struct lab_plan *copy = r->prepare(d, &(struct lab_operation){LAB_OPERATION_COPY, lab_region_of(there, BYTES),
                                                                  .source = lab_region_of(here, BYTES)});
    struct lab_plan *check = r->prepare(
        d, &(struct lab_operation){LAB_OPERATION_CHECK, lab_region_of(there, BYTES), .seed = 3, .wrong = &wrong});
    if (expect_call(fixture, fill != NULL && copy != NULL && check != NULL, "prepare")) {
        double start = now_s();
        bool queued = r->latch_close(d, latch, fixture->stream, 5) && r->event_record(d, gate, fixture->stream) &&
                      r->stream_wait(d, other, gate) && r->enqueue(d, fill, other) && r->enqueue(d, copy, other) &&
                      r->enqueue(d, check, other);
        for (int i = 0; i < 250 && queued; i++)
            queued = r->copy(d, other, there, here, BYTES, LAB_H2D);
        double queueing = now_s() - start;
        r->latch_open(d, latch);
        expect_call(fixture, queued, "queueing while the latch is closed");
        expect_call(fixture, r->stream_synchronize(d, other) && r->stream_synchronize(d, fixture->stream),
                    "synchronize");
        expect_call(fixture, r->latch_timed_out(d, latch, &timed_out), "latch_timed_out");
        expect(fixture, !timed_out, "253 operations must be queued before the latch times out (it took %g s)",
               queueing);
        expect(fixture, wrong == 0, "the queued operations: %llu wrong", (unsigned long long)wrong);
    }
    r->plan_free(d, check);
    r->plan_free(d, copy);
    r->plan_free(d, fill);
    r->plan_free(d, NULL);
out:
    r->free(d, LAB_MEMORY_DEVICE, there);
    r->free(d, LAB_MEMORY_PINNED, here);
    r->stream_free(d, other);
}

void check_latch(struct fixture *fixture)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    struct lab_latch *latch = r->latch_create(d);
    struct lab_event *gate = r->event_create(d);
    if (expect_call(fixture, latch != NULL && gate != NULL, "latch_create")) {
        check_queueing_while_closed(fixture, latch, gate);
        for (int i = 0; i < 5; i++)
            check_closed(fixture, latch, gate);
        check_time_out(fixture, latch);
        check_closed(fixture, latch, gate);
        for (int i = 0; i < 100; i++) { /* the latch is opened immediately, possibly before its kernel has started */
            bool timed_out = true;
            bool good = r->latch_close(d, latch, fixture->stream, 5);
            r->latch_open(d, latch);
            good = good && r->stream_synchronize(d, fixture->stream) && r->latch_timed_out(d, latch, &timed_out);
            if (!expect(fixture, good && !timed_out, "a latch that is opened immediately must not time out, round %d",
                        i))
                break;
        }
    }
    r->event_free(d, gate);
    r->latch_free(d, latch);
    r->latch_free(d, NULL);
}
/* --- ways to wait ------------------------------------------------------------------------------------------------- */

static void count_call(void *context)
{
    ++*(int *)context;
}

/* What is behind a closed latch has not happened, and has after the wait. */
static void check_ways(struct fixture *fixture, struct lab_latch *latch, struct lab_event *event)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    int calls = 0, before = -1;
    bool idle = true;
    expect_call(fixture, r->latch_close(d, latch, fixture->stream, 5), "latch_close");
    bool good = r->waiting->call(d, fixture->stream, count_call, &calls) &&
                (event == NULL || r->event_record(d, event, fixture->stream)) &&
                r->waiting->stream_query(d, fixture->stream, &idle);
    before = calls;
    r->latch_open(d, latch);
    expect_call(fixture, good && (event == NULL || r->event_synchronize(d, event)) && r->waiting->synchronize(d),
                "waiting for a call");
    expect(fixture, !idle && before == 0 && calls == 1, "a call was made %d times before the latch opened, %d after",
           before, calls);
    expect_call(fixture, r->waiting->stream_query(d, fixture->stream, &idle), "stream_query");
    expect(fixture, idle, "a stream that was waited for must be idle");
}

void check_waiting(struct fixture *fixture)
{
    const struct lab_runtime_waiting *table = fixture->runtime->waiting;
    struct lab_device *d = fixture->device;
    struct lab_latch *latch = fixture->runtime->latch_create(d);
    struct lab_event *event = NULL;
    if (!expect_call(fixture, latch != NULL, "latch_create"))
        return;
    check_ways(fixture, latch, NULL);
    if (table->block != NULL) {
        event = table->event_create_blocking(d);
        expect_call(fixture, event != NULL, "event_create_blocking");
        check_ways(fixture, latch, event);
        expect_call(fixture, table->block(d, true), "block");
        check_ways(fixture, latch, event);
        expect_call(fixture, table->block(d, false), "block");
    }
    fixture->runtime->event_free(d, event);
    fixture->runtime->latch_free(d, latch);
}

void check_clock(struct fixture *fixture)
{
    double hz = 0, most = fixture->device->facts.clock_hz; /* for a CPU the nominal clock, which it may exceed */
    bool bound = strcmp(fixture->runtime->name, "cuda") == 0 && most > 0;
    if (fixture->runtime->clock == NULL)
        return;
    for (int i = 0; i < 3; i++) {
        double start = now_s();
        expect_call(fixture, fixture->runtime->clock->measure(fixture->device, &hz), "clock");
        printf("clock: %.6g Hz of %.6g, in %g s\n", hz, most, now_s() - start);
        expect(fixture, hz > 5e7 && hz < 1e10 && !(bound && hz > 1.05 * most), "the clock must be plausible: %g Hz",
               hz);
    }
}
