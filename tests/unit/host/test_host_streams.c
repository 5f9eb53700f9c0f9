/* Streams, events and latches of the host runtime: order, overlap, times. */
#include "support/host_harness.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { STREAMS = 64, ROUNDS = 4, PIECE = 4096, LARGE = 32 << 20 };

static double seconds_between(struct lab_device *device, struct lab_event *start, struct lab_event *stop)
{
    double seconds = -1;
    succeed(device, runtime->event_elapsed(device, start, stop, &seconds));
    return seconds;
}

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A sequence of tasks that uses every engine: fills device memory, copies it within the device, to the host and back,
 * and checks it. */
struct sequence {
    struct lab_stream *stream;
    struct lab_plan *fill, *check;
    unsigned char *first, *second, *third, *host;
    uint64_t wrong;
};

static void begin_sequence(struct lab_device *device, struct sequence *sequence, unsigned char *memory,
                           unsigned char *host, uint64_t seed)
{
    sequence->stream = runtime->stream_create(device);
    succeed(device, sequence->stream != NULL);
    sequence->first = memory;
    sequence->second = memory + PIECE;
    sequence->third = memory + 2 * PIECE;
    sequence->host = host;
    sequence->wrong = UINT64_MAX;
    sequence->fill = prepare(device, (struct lab_operation){.kind = LAB_OPERATION_FILL,
                                                            .destination = lab_region_of(sequence->first, PIECE),
                                                            .seed = seed});
    sequence->check = prepare(device, (struct lab_operation){.kind = LAB_OPERATION_CHECK,
                                                             .destination = lab_region_of(sequence->third, PIECE),
                                                             .seed = seed,
                                                             .wrong = &sequence->wrong});
}

static void queue_sequence(struct lab_device *device, struct sequence *sequence)
{
    struct lab_stream *stream = sequence->stream;
    succeed(device, runtime->enqueue(device, sequence->fill, stream));
    succeed(device, runtime->copy(device, stream, sequence->second, sequence->first, PIECE, LAB_D2D));
    succeed(device, runtime->copy(device, stream, sequence->host, sequence->second, PIECE, LAB_D2H));
    succeed(device, runtime->copy(device, stream, sequence->third, sequence->host, PIECE, LAB_H2D));
    succeed(device, runtime->enqueue(device, sequence->check, stream));
    /* Overwrites the input, so that the next round's check fails if tasks run in the wrong order. */
    succeed(device, runtime->copy(device, stream, sequence->first, sequence->third + PIECE / 2, PIECE / 2, LAB_D2D));
}

static void end_sequence(struct lab_device *device, struct sequence *sequence)
{
    runtime->plan_free(device, sequence->fill);
    runtime->plan_free(device, sequence->check);
    runtime->stream_free(device, sequence->stream);
}

DEVICE_TEST(test_many_streams_each_run_in_order)
{
    static struct sequence sequences[STREAMS];
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, (size_t)STREAMS * 3 * PIECE);
    unsigned char *host = allocate(device, LAB_MEMORY_PINNED, (size_t)STREAMS * PIECE);
    for (size_t i = 0; i < STREAMS; i++)
        begin_sequence(device, &sequences[i], memory + i * 3 * PIECE, host + i * PIECE, 1000 + i);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < STREAMS; i++)
            queue_sequence(device, &sequences[i]);
    for (size_t i = 0; i < STREAMS; i++) {
        succeed(device, runtime->stream_synchronize(device, sequences[i].stream));
        assert_int_equal(sequences[i].wrong, 0);
        end_sequence(device, &sequences[i]);
    }
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PINNED, host);
}

/* Each stream waits for the event of the preceding stream and then copies the piece that it has written. */
DEVICE_TEST(test_waits_chain_streams)
{
    struct lab_stream *streams[STREAMS];
    struct lab_event *events[STREAMS];
    struct lab_latch *latch = runtime->latch_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, (size_t)STREAMS * PIECE);
    memset(memory, 0, (size_t)STREAMS * PIECE);
    memset(memory, 77, PIECE);
    for (size_t i = 0; i < STREAMS; i++) {
        streams[i] = runtime->stream_create(device);
        events[i] = runtime->event_create(device);
    }
    succeed(device, runtime->latch_close(device, latch, streams[0], 60));
    succeed(device, runtime->event_record(device, events[0], streams[0]));
    for (size_t i = 1; i < STREAMS; i++) {
        enum lab_direction direction = (enum lab_direction)(i % 3);
        succeed(device, runtime->stream_wait(device, streams[i], events[i - 1]));
        succeed(device,
                runtime->copy(device, streams[i], memory + i * PIECE, memory + (i - 1) * PIECE, PIECE, direction));
        succeed(device, runtime->event_record(device, events[i], streams[i]));
    }
    bool complete = true;
    succeed(device, runtime->event_query(device, events[STREAMS - 1], &complete));
    assert_false(complete);
    runtime->latch_open(device, latch);
    succeed(device, runtime->event_synchronize(device, events[STREAMS - 1]));
    assert_int_equal(memory[(size_t)STREAMS * PIECE - 1], 77);
    for (size_t i = 1; i < STREAMS; i++)
        assert_true(seconds_between(device, events[i - 1], events[i]) >= 0);
    for (size_t i = 0; i < STREAMS; i++) {
        runtime->event_free(device, events[i]);
        runtime->stream_free(device, streams[i]);
    }
    runtime->latch_free(device, latch);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

struct lane {
    struct lab_stream *stream;
    struct lab_event *start, *stop;
    double start_s, stop_s;
};

static void open_lane(struct lab_device *device, struct lane *lane)
{
    lane->stream = runtime->stream_create(device);
    lane->start = runtime->event_create(device);
    lane->stop = runtime->event_create(device);
    assert_true(lane->stream != NULL && lane->start != NULL && lane->stop != NULL);
}

static void close_lane(struct lab_device *device, struct lane *lane)
{
    runtime->stream_free(device, lane->stream);
    runtime->event_free(device, lane->start);
    runtime->event_free(device, lane->stop);
}

/* Releases copies in both directions and an operation by one latch. Returns whether all three ran at the same time at
 * some moment. */
static bool all_three_overlap(struct lab_device *device, struct lab_latch *latch, struct lane *lanes,
                              unsigned char *memory, unsigned char *host, struct lab_plan *plan)
{
    struct lane delayed;
    open_lane(device, &delayed);
    succeed(device, runtime->latch_close(device, latch, delayed.stream, 60));
    succeed(device, runtime->event_record(device, delayed.start, delayed.stream));
    for (int i = 0; i < 3; i++) {
        succeed(device, runtime->stream_wait(device, lanes[i].stream, delayed.start));
        succeed(device, runtime->event_record(device, lanes[i].start, lanes[i].stream));
    }
    succeed(device, runtime->copy(device, lanes[0].stream, memory, host, LARGE, LAB_H2D));
    succeed(device, runtime->copy(device, lanes[1].stream, host + LARGE, memory + LARGE, LARGE, LAB_D2H));
    succeed(device, runtime->enqueue(device, plan, lanes[2].stream));
    for (int i = 0; i < 3; i++)
        succeed(device, runtime->event_record(device, lanes[i].stop, lanes[i].stream));
    runtime->latch_open(device, latch);
    double last_start = 0, first_stop = 1e9;
    for (int i = 0; i < 3; i++) {
        succeed(device, runtime->stream_synchronize(device, lanes[i].stream));
        double start = seconds_between(device, delayed.start, lanes[i].start);
        double stop = seconds_between(device, delayed.start, lanes[i].stop);
        assert_true(start >= 0 && stop > start);
        last_start = start > last_start ? start : last_start;
        first_stop = stop < first_stop ? stop : first_stop;
    }
    close_lane(device, &delayed);
    return last_start < first_stop;
}

DEVICE_TEST(test_engines_overlap)
{
    struct lane lanes[3];
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, 3 * (size_t)LARGE);
    unsigned char *host = allocate(device, LAB_MEMORY_PINNED, 2 * (size_t)LARGE);
    struct lab_latch *latch = runtime->latch_create(device);
    struct lab_plan *plan =
        prepare(device, (struct lab_operation){.kind = LAB_OPERATION_FILL,
                                               .destination = lab_region_of(memory + 2 * (size_t)LARGE, LARGE)});
    for (int i = 0; i < 3; i++)
        open_lane(device, &lanes[i]);
    double until = clock_s(CLOCK_MONOTONIC) + 20; /* other processes may use the cores for a while */
    bool overlapped = false;
    while (!overlapped && clock_s(CLOCK_MONOTONIC) < until)
        overlapped = all_three_overlap(device, latch, lanes, memory, host, plan);
    assert_true(overlapped);
    for (int i = 0; i < 3; i++)
        close_lane(device, &lanes[i]);
    runtime->latch_free(device, latch);
    runtime->plan_free(device, plan);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PINNED, host);
}

DEVICE_TEST(test_event_times_agree_with_the_clock)
{
    struct lane lane;
    open_lane(device, &lane);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, LARGE);
    unsigned char *host = allocate(device, LAB_MEMORY_PAGEABLE, LARGE);
    double before = clock_s(CLOCK_MONOTONIC);
    succeed(device, runtime->event_record(device, lane.start, lane.stream));
    succeed(device, runtime->copy(device, lane.stream, memory, host, LARGE, LAB_H2D));
    succeed(device, runtime->event_record(device, lane.stop, lane.stream));
    succeed(device, runtime->event_synchronize(device, lane.stop));
    double outside = clock_s(CLOCK_MONOTONIC) - before;
    double inside = seconds_between(device, lane.start, lane.stop);
    assert_true(inside <= outside);
    assert_true((double)LARGE / inside < 1e12);
    assert_true(seconds_between(device, lane.stop, lane.start) == -inside);
    close_lane(device, &lane);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PAGEABLE, host);
}

DEVICE_TEST(test_elapsed_needs_completed_events)
{
    struct lab_latch *latch = runtime->latch_create(device);
    struct lane lane;
    double seconds;
    bool complete = false;
    open_lane(device, &lane);
    assert_false(runtime->event_elapsed(device, lane.start, lane.stop, &seconds));
    assert_int_equal(device->error.code, LAB_ERROR_NOT_READY);
    succeed(device, runtime->event_query(device, lane.start, &complete));
    assert_true(complete);
    succeed(device, runtime->event_record(device, lane.start, lane.stream));
    succeed(device, runtime->latch_close(device, latch, lane.stream, 60));
    succeed(device, runtime->event_record(device, lane.stop, lane.stream));
    assert_false(runtime->event_elapsed(device, lane.start, lane.stop, &seconds));
    runtime->latch_open(device, latch);
    succeed(device, runtime->event_synchronize(device, lane.stop));
    assert_true(seconds_between(device, lane.start, lane.stop) > 0);
    runtime->latch_free(device, latch);
    close_lane(device, &lane);
}

/* A stream waits for the record of the event that was the last one when the wait was queued, not for later records. */
DEVICE_TEST(test_wait_keeps_its_record)
{
    struct lab_latch *latch = runtime->latch_create(device);
    struct lane delayed, waiting, other;
    bool complete = false;
    open_lane(device, &delayed);
    open_lane(device, &waiting);
    open_lane(device, &other);
    succeed(device, runtime->latch_close(device, latch, delayed.stream, 60));
    succeed(device, runtime->event_record(device, delayed.start, delayed.stream));
    succeed(device, runtime->stream_wait(device, waiting.stream, delayed.start));
    succeed(device, runtime->stream_wait(device, waiting.stream, delayed.start));
    succeed(device, runtime->event_record(device, waiting.stop, waiting.stream));
    succeed(device, runtime->event_record(device, delayed.start, other.stream));
    succeed(device, runtime->event_synchronize(device, delayed.start));
    succeed(device, runtime->event_query(device, waiting.stop, &complete));
    assert_false(complete);
    runtime->event_free(device, delayed.start); /* while its first record has not completed */
    runtime->latch_open(device, latch);
    succeed(device, runtime->event_synchronize(device, waiting.stop));
    delayed.start = NULL;
    close_lane(device, &delayed);
    close_lane(device, &waiting);
    close_lane(device, &other);
    runtime->latch_free(device, latch);
}

/* An event's time is that of its last record, even if an earlier record completes after it. */
DEVICE_TEST(test_last_record_counts)
{
    struct lab_latch *latch = runtime->latch_create(device);
    struct lane delayed, other;
    bool complete = false;
    open_lane(device, &delayed);
    open_lane(device, &other);
    succeed(device, runtime->latch_close(device, latch, delayed.stream, 60));
    succeed(device, runtime->event_record(device, delayed.start, delayed.stream));
    succeed(device, runtime->event_record(device, delayed.start, other.stream));
    succeed(device, runtime->event_record(device, other.stop, other.stream));
    succeed(device, runtime->event_synchronize(device, other.stop));
    double before = seconds_between(device, delayed.start, other.stop);
    assert_true(before >= 0);
    runtime->latch_open(device, latch);
    succeed(device, runtime->stream_synchronize(device, delayed.stream));
    assert_true(seconds_between(device, delayed.start, other.stop) == before);

    /* The first record completes, but the event does not, because its last record has not completed. */
    succeed(device, runtime->latch_close(device, latch, delayed.stream, 60));
    succeed(device, runtime->event_record(device, delayed.start, other.stream));
    succeed(device, runtime->event_record(device, delayed.start, delayed.stream));
    succeed(device, runtime->stream_synchronize(device, other.stream));
    succeed(device, runtime->event_query(device, delayed.start, &complete));
    assert_false(complete);
    runtime->latch_open(device, latch);
    succeed(device, runtime->event_synchronize(device, delayed.start));
    close_lane(device, &delayed);
    close_lane(device, &other);
    runtime->latch_free(device, latch);
}

DEVICE_TEST(test_latch_opens_and_times_out)
{
    struct lab_latch *latch = runtime->latch_create(device);
    struct lane lane;
    bool timed_out = true;
    open_lane(device, &lane);

    succeed(device, runtime->latch_close(device, latch, lane.stream, 60));
    assert_false(runtime->latch_close(device, latch, lane.stream, 60));
    runtime->latch_open(device, latch);
    succeed(device, runtime->stream_synchronize(device, lane.stream));
    succeed(device, runtime->latch_timed_out(device, latch, &timed_out));
    assert_false(timed_out);

    double before = clock_s(CLOCK_MONOTONIC);
    succeed(device, runtime->latch_close(device, latch, lane.stream, 0.05));
    succeed(device, runtime->stream_synchronize(device, lane.stream));
    assert_true(clock_s(CLOCK_MONOTONIC) - before >= 0.05);
    succeed(device, runtime->latch_timed_out(device, latch, &timed_out));
    assert_true(timed_out);
    runtime->latch_open(device, latch); /* too late */
    succeed(device, runtime->latch_timed_out(device, latch, &timed_out));
    assert_true(timed_out);

    succeed(device, runtime->latch_close(device, latch, lane.stream, 60));
    runtime->latch_open(device, latch);
    succeed(device, runtime->stream_synchronize(device, lane.stream));
    succeed(device, runtime->latch_timed_out(device, latch, &timed_out));
    assert_false(timed_out);

    assert_false(runtime->latch_close(device, latch, lane.stream, 0));
    assert_false(runtime->latch_close(device, latch, lane.stream, -1));
    close_lane(device, &lane);
    runtime->latch_free(device, latch);
}

/* A record waits for the work before it in its stream, not for work that other streams have queued for the engine of
 * the work that follows it. */
DEVICE_TEST(test_records_do_not_wait_for_a_busy_engine)
{
    enum { COPIES = 16 };
    struct lane busy, other;
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, LARGE);
    unsigned char *host = allocate(device, LAB_MEMORY_PINNED, LARGE);
    open_lane(device, &busy);
    open_lane(device, &other);
    succeed(device,
            runtime->copy(device, other.stream, memory, host, PIECE, LAB_H2D)); /* this engine now runs the stream */
    succeed(device, runtime->stream_synchronize(device, other.stream));
    for (int i = 0; i < COPIES; i++)
        succeed(device, runtime->copy(device, busy.stream, memory, host, LARGE, LAB_H2D));
    succeed(device, runtime->event_record(device, busy.stop, busy.stream));
    succeed(device, runtime->event_record(device, other.start, other.stream));
    succeed(device, runtime->copy(device, other.stream, memory, host, PIECE, LAB_H2D));
    succeed(device, runtime->event_record(device, other.stop, other.stream));
    succeed(device, runtime->stream_synchronize(device, busy.stream));
    succeed(device, runtime->stream_synchronize(device, other.stream));
    assert_true(seconds_between(device, other.start, busy.stop) > 0);
    assert_true(seconds_between(device, busy.stop, other.stop) > 0); /* in the order of queueing */
    close_lane(device, &busy);
    close_lane(device, &other);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PINNED, host);
}

/* A closed latch delays its own stream and blocks no engine. */
DEVICE_TEST(test_latch_delays_only_its_stream)
{
    struct lab_latch *latch = runtime->latch_create(device);
    struct lane delayed, free_lane;
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, 2 * PIECE);
    open_lane(device, &delayed);
    open_lane(device, &free_lane);
    succeed(device, runtime->latch_close(device, latch, delayed.stream, 60));
    for (int direction = LAB_H2D; direction <= LAB_D2D; direction++)
        succeed(device,
                runtime->copy(device, free_lane.stream, memory, memory + PIECE, PIECE, (enum lab_direction)direction));
    succeed(device, runtime->stream_synchronize(device, free_lane.stream));
    runtime->latch_open(device, latch);
    close_lane(device, &delayed);
    close_lane(device, &free_lane);
    runtime->latch_free(device, latch);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

DEVICE_TEST(test_release_waits_for_queued_work)
{
    struct lab_latch *latch = runtime->latch_create(device);
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, LARGE);
    unsigned char *host = allocate(device, LAB_MEMORY_PINNED, LARGE);
    memset(memory, 9, LARGE);
    memset(host, 0, LARGE);
    succeed(device, runtime->latch_close(device, latch, stream, 0.05));
    succeed(device, runtime->copy(device, stream, host, memory, LARGE, LAB_D2H));
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    assert_int_equal(host[LARGE - 1], 9);
    runtime->stream_free(device, stream);
    runtime->latch_free(device, latch);
    runtime->free(device, LAB_MEMORY_PINNED, host);
}

TEST(test_streams_wait_across_devices)
{
    struct lab_error error = {0};
    struct lab_device *first = open_with(2, NULL);
    struct lab_device *second = runtime->open(1, &error);
    assert_non_null(second);
    struct lab_latch *latch = runtime->latch_create(first);
    struct lane one, two;
    bool complete = true;
    double seconds;
    open_lane(first, &one);
    open_lane(second, &two);
    succeed(first, runtime->latch_close(first, latch, one.stream, 60));
    succeed(first, runtime->event_record(first, one.start, one.stream));
    succeed(second, runtime->stream_wait(second, two.stream, one.start));
    succeed(second, runtime->event_record(second, two.start, two.stream));
    succeed(second, runtime->event_query(second, two.start, &complete));
    assert_false(complete);
    runtime->latch_open(first, latch);
    succeed(second, runtime->event_synchronize(second, two.start));
    assert_false(runtime->event_elapsed(first, one.start, two.start, &seconds));
    assert_false(runtime->event_record(first, two.start, one.stream));
    close_lane(first, &one);
    close_lane(second, &two);
    runtime->latch_free(first, latch);
    runtime->close(second);
    close_and_stop(first);
}

DEVICE_TEST(test_idle_engines_sleep)
{
    struct lab_stream *stream = runtime->stream_create(device);
    fill(device, stream, lab_region_of(allocate(device, LAB_MEMORY_DEVICE, LARGE), LARGE), 1);
    usleep(20000); /* until the threads sleep */
    double before = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    usleep(300000);
    assert_true(clock_s(CLOCK_PROCESS_CPUTIME_ID) - before < 0.03);
    runtime->stream_free(device, stream);
}
