/* Traces of the host runtime: the kind, lane, bytes and times of each record, and overlap. */
#include "support/host_harness.h"
#include "support/test.h"

#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

enum { STREAMS = 2, MIB = 1 << 20, PIECE = 4 * MIB, RECORDS_MAX = 16384 };

/* The records of a trace. */
struct timeline {
    struct lab_trace_record records[RECORDS_MAX];
    size_t count;
};

static bool trace_streams(struct lab_device *device, struct lab_stream *const *streams, size_t count)
{
    struct lab_lane lanes[8];
    for (size_t i = 0; i < count; i++)
        lanes[i] = (struct lab_lane){device, streams[i]};
    return lab_host_runtime.trace->begin(lanes, count);
}

static void keep(void *context, const struct lab_trace_record *record)
{
    struct timeline *timeline = context;
    assert_true(timeline->count < RECORDS_MAX);
    timeline->records[timeline->count++] = *record;
}

static void end_trace(struct lab_device *device, struct timeline *timeline)
{
    timeline->count = 0;
    succeed(device, runtime->trace->end(device, keep, timeline));
}

/* What each test uses: a device, memory on the device and on the host, streams and a plan. */
struct fixture {
    struct lab_device *device;
    struct lab_stream *streams[STREAMS];
    unsigned char *memory, *host;
    struct lab_plan *plan;
    struct timeline timeline;
};

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->device = open_with(0, NULL);
    for (size_t i = 0; i < STREAMS; i++)
        fixture->streams[i] = runtime->stream_create(fixture->device);
    fixture->memory = allocate(fixture->device, LAB_MEMORY_DEVICE, 2 * PIECE);
    fixture->host = allocate(fixture->device, LAB_MEMORY_PINNED, 2 * PIECE);
    memset(fixture->host, 0, 2 * PIECE);
    memset(fixture->memory, 0, 2 * PIECE);
    fixture->plan =
        prepare(fixture->device,
                (struct lab_operation){LAB_OPERATION_FILL, .destination = lab_region_of(fixture->memory, PIECE)});
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    runtime->plan_free(fixture->device, fixture->plan);
    for (size_t i = 0; i < STREAMS; i++)
        runtime->stream_free(fixture->device, fixture->streams[i]);
    runtime->free(fixture->device, LAB_MEMORY_DEVICE, fixture->memory);
    runtime->free(fixture->device, LAB_MEMORY_PINNED, fixture->host);
    close_and_stop(fixture->device);
    free(fixture);
    return 0;
}

static void begin_trace(struct fixture *fixture, size_t streams)
{
    succeed(fixture->device, trace_streams(fixture->device, fixture->streams, streams));
}

static void copy(struct fixture *fixture, size_t stream, size_t offset, size_t bytes, enum lab_direction direction)
{
    unsigned char *there = fixture->memory + offset, *here = fixture->host + offset;
    const unsigned char *from = direction == LAB_H2D ? here : direction == LAB_D2H ? there : fixture->memory;
    succeed(fixture->device, runtime->copy(fixture->device, fixture->streams[stream],
                                           direction == LAB_D2H ? here : there, from, bytes, direction));
}

TEST_WITH(test_each_operation_is_recorded, struct fixture *fixture, .setup = open_fixture, .teardown = close_fixture)
{
    struct lab_device *device = fixture->device;
    struct timeline *timeline = &fixture->timeline;
    struct lab_latch *latch = runtime->latch_create(device);
    struct lab_event *event = runtime->event_create(device);
    static const struct lab_trace_record expected[] = {{.kind = LAB_TRACE_H2D, .lane = 1, .bytes = 1000},
                                                       {.kind = LAB_TRACE_KERNEL, .lane = 1},
                                                       {.kind = LAB_TRACE_D2D, .lane = 1, .bytes = 3000},
                                                       {.kind = LAB_TRACE_D2H, .lane = 1, .bytes = 2000},
                                                       {.kind = LAB_TRACE_H2D, .lane = 0, .bytes = 512}};
    begin_trace(fixture, 2);
    uint64_t before_ns = lab_clock_ns();
    succeed(device, runtime->latch_close(device, latch, fixture->streams[1], 10)); /* a closed latch is not recorded */
    copy(fixture, 1, 0, 1000, LAB_H2D);
    succeed(device, runtime->enqueue(device, fixture->plan, fixture->streams[1]));
    copy(fixture, 1, PIECE, 3000, LAB_D2D);
    copy(fixture, 1, 0, 2000, LAB_D2H);
    succeed(device, runtime->event_record(device, event, fixture->streams[1]));
    succeed(device, runtime->stream_wait(device, fixture->streams[0], event));
    succeed(device, runtime->copy2d->copy(device, fixture->streams[0], (struct lab_region){fixture->memory, 64, 8, 128},
                                          (struct lab_region){fixture->host, 64, 8, 256}, LAB_H2D));
    runtime->latch_open(device, latch);
    end_trace(device, timeline);
    uint64_t after_ns = lab_clock_ns();

    assert_int_equal(timeline->count, sizeof expected / sizeof expected[0]);
    int64_t last_ns = (int64_t)before_ns;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct lab_trace_record *record = &timeline->records[i];
        assert_int_equal(record->kind, expected[i].kind);
        assert_int_equal(record->lane, expected[i].lane);
        assert_int_equal(record->bytes, expected[i].bytes);
        assert_true(record->start_ns >= last_ns); /* in order, without overlap */
        assert_true(record->end_ns >= record->start_ns);
        last_ns = record->end_ns;
    }
    assert_true(last_ns <= (int64_t)after_ns);
    runtime->event_free(device, event);
    runtime->latch_free(device, latch);
}

static int64_t overlap_ns(const struct lab_trace_record *a, const struct lab_trace_record *b)
{
    int64_t start = a->start_ns > b->start_ns ? a->start_ns : b->start_ns;
    int64_t end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;
    return end - start;
}

/* Traces copies to the device on one stream and operations on the other. Returns the time in ns during which both
 * ran. */
static int64_t trace_copies_and_operations(struct fixture *fixture)
{
    enum { COPIES = 64, OPERATIONS = 4 };
    struct lab_device *device = fixture->device;
    const struct timeline *timeline = &fixture->timeline;
    int64_t together_ns = 0;
    begin_trace(fixture, 2);
    for (int i = 0; i < COPIES; i++)
        copy(fixture, 0, PIECE, PIECE, LAB_H2D);
    for (int i = 0; i < OPERATIONS; i++)
        succeed(device, runtime->enqueue(device, fixture->plan, fixture->streams[1]));
    end_trace(device, &fixture->timeline);
    assert_int_equal(timeline->count, COPIES + OPERATIONS);
    for (size_t i = 1; i < timeline->count; i++)
        assert_true(timeline->records[i].start_ns >= timeline->records[i - 1].start_ns);
    for (size_t i = 0; i < timeline->count; i++)
        for (size_t k = 0; k < timeline->count; k++)
            if (timeline->records[i].kind == LAB_TRACE_H2D && timeline->records[k].kind == LAB_TRACE_KERNEL &&
                overlap_ns(&timeline->records[i], &timeline->records[k]) > 0)
                together_ns += overlap_ns(&timeline->records[i], &timeline->records[k]);
    return together_ns;
}

/* The trace must show that a copy engine and the cores work at the same time. The test is repeated, because other
 * processes may use the cores. */
TEST_WITH(test_copies_overlap_compute, struct fixture *fixture, .setup = open_fixture, .teardown = close_fixture)
{
    enum { ENOUGH_NS = 100000 };
    const uint64_t until_ns = lab_clock_ns() + 20000000000U;
    int64_t together_ns = 0;
    while (together_ns <= ENOUGH_NS && lab_clock_ns() < until_ns)
        together_ns = trace_copies_and_operations(fixture);
    assert_true(together_ns > ENOUGH_NS);
}

/* The times of a trace must agree with events around the same work. */
TEST_WITH(test_trace_agrees_with_events, struct fixture *fixture, .setup = open_fixture, .teardown = close_fixture)
{
    struct lab_device *device = fixture->device;
    struct timeline *timeline = &fixture->timeline;
    struct lab_event *start = runtime->event_create(device), *stop = runtime->event_create(device);
    double seconds = 0;
    begin_trace(fixture, 1);
    succeed(device, runtime->event_record(device, start, fixture->streams[0]));
    copy(fixture, 0, 0, PIECE, LAB_H2D);
    succeed(device, runtime->enqueue(device, fixture->plan, fixture->streams[0]));
    copy(fixture, 0, 0, PIECE, LAB_D2H);
    succeed(device, runtime->event_record(device, stop, fixture->streams[0]));
    end_trace(device, timeline);
    succeed(device, runtime->event_elapsed(device, start, stop, &seconds));
    assert_int_equal(timeline->count, 3);
    double traced = (double)(timeline->records[2].end_ns - timeline->records[0].start_ns) * 1e-9;
    assert_true(traced > 0 && traced <= seconds);
    runtime->event_free(device, start);
    runtime->event_free(device, stop);
}

TEST_WITH(test_only_traced_streams_are_recorded, struct fixture *fixture, .setup = open_fixture,
          .teardown = close_fixture)
{
    struct lab_device *device = fixture->device;
    struct timeline *timeline = &fixture->timeline;
    copy(fixture, 0, 0, PIECE, LAB_H2D); /* before */
    begin_trace(fixture, 1);
    copy(fixture, 0, 0, 4096, LAB_H2D);
    copy(fixture, 1, 0, PIECE, LAB_H2D); /* another stream */
    end_trace(device, timeline);
    assert_int_equal(timeline->count, 1);
    assert_int_equal(timeline->records[0].bytes, 4096);
    copy(fixture, 0, 0, PIECE, LAB_H2D); /* after */
    begin_trace(fixture, 1);
    end_trace(device, timeline);
    assert_int_equal(timeline->count, 0);
}

TEST_WITH(test_long_traces_grow, struct fixture *fixture, .setup = open_fixture, .teardown = close_fixture)
{
    enum { COPIES = 10000 };
    begin_trace(fixture, 2);
    for (size_t i = 0; i < COPIES; i++)
        copy(fixture, i % 2, 64 * (i % 2), 1 + i % 64, LAB_H2D);
    end_trace(fixture->device, &fixture->timeline);
    assert_int_equal(fixture->timeline.count, COPIES);
}

TEST_WITH(test_invalid_traces_are_refused, struct fixture *fixture, .setup = open_fixture, .teardown = close_fixture)
{
    struct lab_device *device = fixture->device;
    assert_false(runtime->trace->end(device, keep, &fixture->timeline));
    assert_int_equal(device->error.code, LAB_ERROR_INVALID_ARGUMENT);
    begin_trace(fixture, 2);
    assert_false(trace_streams(device, fixture->streams, 1));
    assert_int_equal(device->error.code, LAB_ERROR_INVALID_ARGUMENT);
    copy(fixture, 1, 0, 64, LAB_D2H);
    end_trace(device, &fixture->timeline);
    assert_int_equal(fixture->timeline.count, 1);
    begin_trace(fixture, 1); /* cancelled when the device is closed */
    copy(fixture, 1, 0, 64, LAB_D2H);
}

TEST(test_tables_that_the_host_does_not_have)
{
    assert_null(runtime->graph);
    assert_null(runtime->default_streams);
    assert_null(runtime->managed);
}
