/* Traces of the host runtime: what was done, where, when, and at once. */
#include "test_host.h"

#include "host/internal.h"

#include <stdlib.h>
#include <string.h>

enum { STREAMS = 2, MIB = 1 << 20, PIECE = 4 * MIB, RECORDS_MAX = 16384 };

/* What a trace handed out. */
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

/* A device with memory on both sides, and streams. */
struct bench {
    struct lab_device *device;
    struct lab_stream *streams[STREAMS];
    unsigned char *memory, *host;
    struct lab_plan *waves;
    struct timeline timeline;
};

static int open_bench(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->device = open_with(0, NULL);
    for (size_t i = 0; i < STREAMS; i++)
        bench->streams[i] = runtime->stream_create(bench->device);
    bench->memory = allocate(bench->device, LAB_MEMORY_DEVICE, 2 * PIECE);
    bench->host = allocate(bench->device, LAB_MEMORY_PINNED, 2 * PIECE);
    memset(bench->host, 0, 2 * PIECE);
    memset(bench->memory, 0, 2 * PIECE);
    bench->waves =
        prepare(bench->device, (struct lab_operation){LAB_OPERATION_WAVES,
                                                      .destination = lab_region_of(bench->memory, PIECE), .weight = 1});
    *state = bench;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *bench = *state;
    runtime->plan_release(bench->device, bench->waves);
    for (size_t i = 0; i < STREAMS; i++)
        runtime->stream_release(bench->device, bench->streams[i]);
    runtime->release(bench->device, LAB_MEMORY_DEVICE, bench->memory);
    runtime->release(bench->device, LAB_MEMORY_PINNED, bench->host);
    close_and_stop(bench->device);
    free(bench);
    return 0;
}

static void begin_trace(struct bench *bench, size_t streams)
{
    succeed(bench->device, trace_streams(bench->device, bench->streams, streams));
}

static void copy(struct bench *bench, size_t stream, size_t offset, size_t bytes, enum lab_direction direction)
{
    unsigned char *there = bench->memory + offset, *here = bench->host + offset;
    const unsigned char *from = direction == LAB_H2D ? here : direction == LAB_D2H ? there : bench->memory;
    succeed(bench->device, runtime->copy(bench->device, bench->streams[stream], direction == LAB_D2H ? here : there,
                                         from, bytes, direction));
}

static void test_each_operation_is_recorded(void **state)
{
    struct bench *bench = *state;
    struct lab_device *device = bench->device;
    struct timeline *timeline = &bench->timeline;
    struct lab_latch *latch = runtime->latch_create(device);
    struct lab_event *event = runtime->event_create(device);
    static const struct lab_trace_record expected[] = {{.kind = LAB_TRACE_UP, .lane = 1, .bytes = 1000},
                                                       {.kind = LAB_TRACE_KERNEL, .lane = 1},
                                                       {.kind = LAB_TRACE_LOCAL, .lane = 1, .bytes = 3000},
                                                       {.kind = LAB_TRACE_DOWN, .lane = 1, .bytes = 2000},
                                                       {.kind = LAB_TRACE_UP, .lane = 0, .bytes = 512}};
    begin_trace(bench, 2);
    uint64_t before_ns = lab_host_now_ns();
    succeed(device, runtime->latch_close(device, latch, bench->streams[1], 10)); /* a hold is no work */
    copy(bench, 1, 0, 1000, LAB_H2D);
    succeed(device, runtime->enqueue(device, bench->waves, bench->streams[1]));
    copy(bench, 1, PIECE, 3000, LAB_D2D);
    copy(bench, 1, 0, 2000, LAB_D2H);
    succeed(device, runtime->event_record(device, event, bench->streams[1]));
    succeed(device, runtime->stream_wait(device, bench->streams[0], event));
    succeed(device, runtime->copy2d->copy(device, bench->streams[0], (struct lab_region){bench->memory, 64, 8, 128},
                                          (struct lab_region){bench->host, 64, 8, 256}, LAB_H2D));
    runtime->latch_open(device, latch);
    end_trace(device, timeline);
    uint64_t after_ns = lab_host_now_ns();

    assert_int_equal(timeline->count, sizeof expected / sizeof expected[0]);
    int64_t last_ns = (int64_t)before_ns;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct lab_trace_record *record = &timeline->records[i];
        assert_int_equal(record->kind, expected[i].kind);
        assert_int_equal(record->lane, expected[i].lane);
        assert_int_equal(record->bytes, expected[i].bytes);
        assert_true(record->start_ns >= last_ns); /* one after the other */
        assert_true(record->end_ns >= record->start_ns);
        last_ns = record->end_ns;
    }
    assert_true(last_ns <= (int64_t)after_ns);
    runtime->event_release(device, event);
    runtime->latch_release(device, latch);
}

static int64_t overlap_ns(const struct lab_trace_record *a, const struct lab_trace_record *b)
{
    int64_t start = a->start_ns > b->start_ns ? a->start_ns : b->start_ns;
    int64_t end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;
    return end - start;
}

/* The copy engine and the cores work at once, and the trace shows it. */
static void test_copies_overlap_compute(void **state)
{
    enum { COPIES = 64 };
    struct bench *bench = *state;
    struct lab_device *device = bench->device;
    struct timeline *timeline = &bench->timeline;
    int64_t together_ns = 0;
    begin_trace(bench, 2);
    for (int i = 0; i < COPIES; i++)
        copy(bench, 0, PIECE, PIECE, LAB_H2D);
    for (int i = 0; i < 4; i++)
        succeed(device, runtime->enqueue(device, bench->waves, bench->streams[1]));
    end_trace(device, timeline);
    assert_int_equal(timeline->count, COPIES + 4);
    for (size_t i = 1; i < timeline->count; i++)
        assert_true(timeline->records[i].start_ns >= timeline->records[i - 1].start_ns);
    for (size_t i = 0; i < timeline->count; i++)
        for (size_t k = 0; k < timeline->count; k++)
            if (timeline->records[i].kind == LAB_TRACE_UP && timeline->records[k].kind == LAB_TRACE_KERNEL &&
                overlap_ns(&timeline->records[i], &timeline->records[k]) > 0)
                together_ns += overlap_ns(&timeline->records[i], &timeline->records[k]);
    assert_true(together_ns > 100000);
}

/* A trace agrees with events around the same work. */
static void test_trace_agrees_with_events(void **state)
{
    struct bench *bench = *state;
    struct lab_device *device = bench->device;
    struct timeline *timeline = &bench->timeline;
    struct lab_event *start = runtime->event_create(device), *stop = runtime->event_create(device);
    double seconds = 0;
    begin_trace(bench, 1);
    succeed(device, runtime->event_record(device, start, bench->streams[0]));
    copy(bench, 0, 0, PIECE, LAB_H2D);
    succeed(device, runtime->enqueue(device, bench->waves, bench->streams[0]));
    copy(bench, 0, 0, PIECE, LAB_D2H);
    succeed(device, runtime->event_record(device, stop, bench->streams[0]));
    end_trace(device, timeline);
    succeed(device, runtime->event_elapsed(device, start, stop, &seconds));
    assert_int_equal(timeline->count, 3);
    double traced = (double)(timeline->records[2].end_ns - timeline->records[0].start_ns) * 1e-9;
    assert_true(traced > 0 && traced <= seconds);
    runtime->event_release(device, start);
    runtime->event_release(device, stop);
}

static void test_only_what_is_asked_for_is_recorded(void **state)
{
    struct bench *bench = *state;
    struct lab_device *device = bench->device;
    struct timeline *timeline = &bench->timeline;
    copy(bench, 0, 0, PIECE, LAB_H2D); /* before */
    begin_trace(bench, 1);
    copy(bench, 0, 0, 4096, LAB_H2D);
    copy(bench, 1, 0, PIECE, LAB_H2D); /* another stream */
    end_trace(device, timeline);
    assert_int_equal(timeline->count, 1);
    assert_int_equal(timeline->records[0].bytes, 4096);
    copy(bench, 0, 0, PIECE, LAB_H2D); /* after */
    begin_trace(bench, 1);
    end_trace(device, timeline);
    assert_int_equal(timeline->count, 0);
}

static void test_long_traces_grow(void **state)
{
    enum { COPIES = 10000 };
    struct bench *bench = *state;
    begin_trace(bench, 2);
    for (size_t i = 0; i < COPIES; i++)
        copy(bench, i % 2, 64 * (i % 2), 1 + i % 64, LAB_H2D);
    end_trace(bench->device, &bench->timeline);
    assert_int_equal(bench->timeline.count, COPIES);
}

static void test_traces_that_cannot_be(void **state)
{
    struct bench *bench = *state;
    struct lab_device *device = bench->device;
    assert_false(runtime->trace->end(device, keep, &bench->timeline));
    assert_string_equal(device->error.code, "invalid-argument");
    begin_trace(bench, 2);
    assert_false(trace_streams(device, bench->streams, 1));
    assert_string_equal(device->error.code, "invalid-argument");
    copy(bench, 1, 0, 64, LAB_D2H);
    end_trace(device, &bench->timeline);
    assert_int_equal(bench->timeline.count, 1);
    begin_trace(bench, 1); /* given up when the device is closed */
    copy(bench, 1, 0, 64, LAB_D2H);
}

static void test_what_the_host_does_not_have(void **state)
{
    (void)state;
    assert_null(runtime->graph);
    assert_null(runtime->stream_default);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_operation_is_recorded, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_copies_overlap_compute, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_trace_agrees_with_events, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_only_what_is_asked_for_is_recorded, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_long_traces_grow, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_traces_that_cannot_be, open_bench, close_bench),
        cmocka_unit_test(test_what_the_host_does_not_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
