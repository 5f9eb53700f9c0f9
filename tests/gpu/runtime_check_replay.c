/* Checks of complete pipelines: chunks are copied to the device, processed and copied back on several streams. The
 * pipelines are queued directly, captured as a graph and replayed, queued on the default stream, and traced.
 */
#include "runtime_check.h"

#include "benchmark/offload.h"

#include <stdio.h>
#include <string.h>

static bool begin_trace(struct lab_device *device, struct lab_stream *const *streams, size_t count)
{
    struct lab_lane lanes[8];
    for (size_t i = 0; i < count; i++)
        lanes[i] = (struct lab_lane){device, streams[i]};
    return device->runtime->trace->begin(lanes, count);
}

enum { STREAMS = 2, CHUNKS = 8, CHUNK = 4 << 20, TOTAL = CHUNKS * CHUNK, WEIGHT = 2, TRACED_MAX = 256 };
enum { TIMER_STEP_NS = 1000 }; /* resolution of the timer, on the device on which it is coarsest */

static const uint64_t seed = 77;

struct pipeline {
    struct fixture *fixture;
    struct lab_stream *streams[STREAMS];
    struct lab_event *fork, *join;  /* make the second stream wait for the first, and the first for the second */
    struct lab_event *start, *stop; /* of the timed work */
    unsigned char *input, *output;  /* page-locked host memory */
    unsigned char *memory;          /* device memory */
    struct lab_plan *plans[CHUNKS]; /* add_sine_cosine on each chunk */
};

static bool open_pipeline(struct fixture *fixture, struct pipeline *p)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    *p = (struct pipeline){.fixture = fixture,
                           .fork = r->event_create(d),
                           .join = r->event_create(d),
                           .start = r->event_create(d),
                           .stop = r->event_create(d)};
    bool made = p->fork != NULL && p->join != NULL && p->start != NULL && p->stop != NULL &&
                r->allocate(d, LAB_MEMORY_PINNED, TOTAL, (void **)&p->input) &&
                r->allocate(d, LAB_MEMORY_DEVICE, TOTAL, (void **)&p->memory) &&
                r->allocate(d, LAB_MEMORY_PINNED, TOTAL, (void **)&p->output);
    for (size_t i = 0; i < STREAMS; i++)
        made = made && (p->streams[i] = r->stream_create(d)) != NULL;
    for (size_t i = 0; i < CHUNKS && made; i++) {
        p->plans[i] =
            prepare_sine_cosine(fixture, p->memory + i * CHUNK, CHUNK / 4, i * CHUNK / 4, WEIGHT, LAB_OFFLOAD_BLOCK);
        made = p->plans[i] != NULL;
    }
    return expect_call(fixture, made, "creating a pipeline");
}

static void close_pipeline(struct pipeline *p)
{
    const struct lab_runtime *r = p->fixture->runtime;
    struct lab_device *d = p->fixture->device;
    for (size_t i = 0; i < CHUNKS; i++)
        r->plan_free(d, p->plans[i]);
    for (size_t i = 0; i < STREAMS; i++)
        r->stream_free(d, p->streams[i]);
    r->free(d, LAB_MEMORY_PINNED, p->output);
    r->free(d, LAB_MEMORY_DEVICE, p->memory);
    r->free(d, LAB_MEMORY_PINNED, p->input);
    r->event_free(d, p->stop);
    r->event_free(d, p->start);
    r->event_free(d, p->join);
    r->event_free(d, p->fork);
}

/* Writes new input, and overwrites the output and the device memory with values that are wrong everywhere. */
static bool prepare_data(struct pipeline *p, uint64_t of_seed)
{
    struct fixture *b = p->fixture;
    return perform(b, &(struct lab_operation){LAB_OPERATION_FILL, lab_region_of(p->input, TOTAL),
                                              .content = LAB_CONTENT_FLOATS, .seed = of_seed}) &&
           perform(b, &(struct lab_operation){LAB_OPERATION_FILL, lab_region_of(p->memory, TOTAL), .seed = ~of_seed}) &&
           perform(b, &(struct lab_operation){LAB_OPERATION_FILL, lab_region_of(p->output, TOTAL), .seed = ~of_seed});
}

static uint64_t wrong_output(struct pipeline *p, uint64_t of_seed)
{
    uint64_t wrong = UINT64_MAX;
    perform(p->fixture,
            &(struct lab_operation){LAB_OPERATION_CHECK, lab_region_of(p->output, TOTAL),
                                    .content = LAB_CONTENT_FLOATS_PLUS_ONE, .seed = of_seed, .wrong = &wrong});
    return wrong;
}

static void expect_output(struct pipeline *p, uint64_t of_seed, const char *what)
{
    uint64_t wrong = wrong_output(p, of_seed);
    expect(p->fixture, wrong == 0, "%s: %llu wrong", what, (unsigned long long)wrong);
}

static bool queue_chunk(struct pipeline *p, size_t i, struct lab_stream *stream)
{
    const struct lab_runtime *r = p->fixture->runtime;
    struct lab_device *d = p->fixture->device;
    size_t at = i * CHUNK;
    return r->copy(d, stream, p->memory + at, p->input + at, CHUNK, LAB_H2D) && r->enqueue(d, p->plans[i], stream) &&
           r->copy(d, stream, p->output + at, p->memory + at, CHUNK, LAB_D2H);
}

/* Queues all chunks on both streams. The second stream starts after the first and is joined to it at the end. */
static bool queue_all(struct pipeline *p)
{
    const struct lab_runtime *r = p->fixture->runtime;
    struct lab_device *d = p->fixture->device;
    bool good = r->event_record(d, p->fork, p->streams[0]) && r->stream_wait(d, p->streams[1], p->fork);
    for (size_t i = 0; i < CHUNKS && good; i++)
        good = queue_chunk(p, i, p->streams[i % STREAMS]);
    return good && r->event_record(d, p->join, p->streams[1]) && r->stream_wait(d, p->streams[0], p->join);
}

/* --- graphs ------------------------------------------------------------------------------------------------------- */

static void replay(struct pipeline *p, struct lab_graph *graph)
{
    struct fixture *b = p->fixture;
    const struct lab_runtime *r = b->runtime;
    for (uint64_t i = 0; i < 3; i++) {
        double seconds = 0;
        if (!prepare_data(p, seed + i))
            return;
        expect_call(
            b,
            r->event_record(b->device, p->start, p->streams[0]) && r->graph->launch(b->device, graph, p->streams[0]) &&
                r->event_record(b->device, p->stop, p->streams[0]) && r->stream_synchronize(b->device, p->streams[0]) &&
                r->event_elapsed(b->device, p->start, p->stop, &seconds),
            "graph launch");
        printf("graph: replayed in %g us\n", 1e6 * seconds);
        expect_output(p, seed + i, "a replayed graph");
    }
}

/* A stream that does not join the origin makes the capture fail; the device and the streams must stay usable. */
static void check_unjoined(struct pipeline *p)
{
    struct fixture *b = p->fixture;
    const struct lab_runtime *r = b->runtime;
    struct lab_graph *graph = NULL;
    if (!expect_call(b, r->graph->begin(b->device, p->streams[0]), "graph begin"))
        return;
    bool queued = r->event_record(b->device, p->fork, p->streams[0]) &&
                  r->stream_wait(b->device, p->streams[1], p->fork) && queue_chunk(p, 0, p->streams[1]);
    expect_call(b, queued, "capturing");
    graph = r->graph->end(b->device, p->streams[0]);
    expect(b, graph == NULL && !b->device->lost, "a stream that does not join must make the capture fail: %s",
           b->device->error.detail);
    printf("graph: %s: %s\n", lab_error_name(b->device->error.code), b->device->error.detail);
    r->graph->free(b->device, graph);
    r->graph->free(b->device, NULL);
    prepare_data(p, seed);
    expect_call(b, queue_all(p) && r->stream_synchronize(b->device, p->streams[0]), "the same streams afterwards");
    expect_output(p, seed, "the pipeline after a failed graph");
}

/* A captured CHECK includes the copy of its count to the caller. */
static void check_check_in_graph(struct pipeline *p)
{
    struct fixture *b = p->fixture;
    const struct lab_runtime *r = b->runtime;
    uint64_t wrong = UINT64_MAX;
    struct lab_plan *check =
        r->prepare(b->device, &(struct lab_operation){LAB_OPERATION_CHECK, lab_region_of(p->input, TOTAL),
                                                      .content = LAB_CONTENT_FLOATS, .seed = seed, .wrong = &wrong});
    bool recording = check != NULL && r->graph->begin(b->device, p->streams[0]);
    bool queued = recording && r->enqueue(b->device, check, p->streams[0]);
    struct lab_graph *graph = recording ? r->graph->end(b->device, p->streams[0]) : NULL;
    if (expect_call(b, queued && graph != NULL, "capturing a check"))
        for (int i = 0; i < 2; i++) {
            prepare_data(p, seed + (uint64_t)i);
            expect_call(
                b, r->graph->launch(b->device, graph, p->streams[1]) && r->stream_synchronize(b->device, p->streams[1]),
                "the graph of a check");
            expect(b, i == 0 ? wrong == 0 : wrong > TOTAL / 4 * 0.99 && wrong <= TOTAL / 4,
                   "a captured check counts %llu wrong elements", (unsigned long long)wrong);
        }
    r->graph->free(b->device, graph);
    r->plan_free(b->device, check);
}

void check_graph(struct fixture *fixture)
{
    const struct lab_runtime *r = fixture->runtime;
    struct pipeline p;
    if (r->graph == NULL || fixture->kernels == NULL)
        return;
    if (open_pipeline(fixture, &p) && prepare_data(&p, seed) &&
        expect_call(fixture, r->graph->begin(fixture->device, p.streams[0]), "graph begin")) {
        bool queued = queue_all(&p);
        struct lab_graph *graph = r->graph->end(fixture->device, p.streams[0]);
        expect_call(fixture, queued && graph != NULL, "capturing a graph");
        expect(fixture, wrong_output(&p, seed) > TOTAL / 4 * 0.99, "captured work must not run during the capture");
        if (graph != NULL)
            replay(&p, graph);
        r->graph->free(fixture->device, graph);
        check_unjoined(&p);
        check_check_in_graph(&p);
    }
    close_pipeline(&p);
}

/* --- the default stream ------------------------------------------------------------------------------------------- */

void check_default_stream(struct fixture *fixture)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    struct pipeline p;
    if (r->default_streams == NULL || fixture->kernels == NULL)
        return;
    struct lab_stream *stream = r->default_streams->legacy(d);
    if (!expect_call(fixture, stream != NULL, "legacy"))
        return;
    if (open_pipeline(fixture, &p) && prepare_data(&p, seed)) {
        double seconds = -1;
        bool good = r->event_record(d, p.start, stream);
        for (size_t i = 0; i < CHUNKS && good; i++)
            good = queue_chunk(&p, i, stream);
        expect_call(fixture,
                    good && r->event_record(d, p.stop, stream) && r->stream_wait(d, p.streams[0], p.stop) &&
                        r->stream_synchronize(d, p.streams[0]) && r->event_elapsed(d, p.start, p.stop, &seconds) &&
                        r->stream_synchronize(d, stream),
                    "work on the default stream");
        expect(fixture, seconds > 0, "the default stream took %g s", seconds);
        expect_output(&p, seed, "the default stream");
        if (r->graph != NULL)
            expect(fixture, !r->graph->begin(d, stream) && !d->lost, "capturing the default stream must fail");
    }
    close_pipeline(&p);
}

/* --- the trace ---------------------------------------------------------------------------------------------------- */

struct timeline {
    struct lab_trace_record records[TRACED_MAX];
    size_t count;
};

static void store_record(void *context, const struct lab_trace_record *record)
{
    struct timeline *timeline = context;
    if (timeline->count < TRACED_MAX)
        timeline->records[timeline->count] = *record;
    timeline->count++;
}

/* The time in ns during which operations of different streams ran at the same time, summed over all pairs of
 * operations. */
static int64_t overlap_ns(const struct timeline *t)
{
    int64_t sum = 0;
    for (size_t i = 0; i < t->count && i < TRACED_MAX; i++)
        for (size_t k = 0; k < i; k++) {
            const struct lab_trace_record *earlier = &t->records[k], *later = &t->records[i];
            int64_t end = earlier->end_ns < later->end_ns ? earlier->end_ns : later->end_ns;
            if (earlier->lane != later->lane && end > later->start_ns)
                sum += end - later->start_ns;
        }
    return sum;
}

/* Checks that each stream has the records of its chunks in order: copy to the device, kernel, copy to the host. */
static void check_order(struct fixture *b, const struct timeline *t)
{
    static const enum lab_trace_kind order[] = {LAB_TRACE_H2D, LAB_TRACE_KERNEL, LAB_TRACE_D2H};
    size_t on_stream[STREAMS] = {0}, misplaced = 0, unordered = 0;
    int64_t end_on_stream[STREAMS] = {0};
    for (size_t i = 0; i < t->count && i < TRACED_MAX; i++) {
        const struct lab_trace_record *record = &t->records[i];
        if (record->lane >= STREAMS) {
            misplaced++;
            continue;
        }
        enum lab_trace_kind kind = order[on_stream[record->lane]++ % 3];
        misplaced += record->kind != kind || record->bytes != (kind == LAB_TRACE_KERNEL ? 0 : CHUNK);
        unordered += record->end_ns <= record->start_ns || (i > 0 && record->start_ns < t->records[i - 1].start_ns) ||
                     record->start_ns + TIMER_STEP_NS < end_on_stream[record->lane];
        end_on_stream[record->lane] = record->end_ns;
    }
    expect(b, misplaced == 0, "%zu records have another stream, kind or size than was queued", misplaced);
    expect(b, unordered == 0, "%zu records are out of order", unordered);
}

static void check_timeline(struct fixture *b, const struct timeline *t, double event_s, double wall_s)
{
    int64_t last_ns = 0;
    expect(b, t->count == CHUNKS * 3, "%zu records, expected %d", t->count, CHUNKS * 3);
    check_order(b, t);
    for (size_t i = 0; i < t->count && i < TRACED_MAX; i++)
        last_ns = t->records[i].end_ns > last_ns ? t->records[i].end_ns : last_ns;
    double span_s = t->count > 0 ? 1e-9 * (double)(last_ns - t->records[0].start_ns) : 0;
    printf("trace: %zu records over %g us (events %g us), streams overlap for %g us\n", t->count, 1e6 * span_s,
           1e6 * event_s, 1e-3 * (double)overlap_ns(t));
    expect(b, span_s > 0 && span_s <= 1.02 * event_s + 2e-5 && span_s <= wall_s,
           "the trace (%g s) must not be longer than the events' time (%g s) and the wall clock's (%g s)", span_s,
           event_s, wall_s);
}

/* Traces the pipeline once, released by a latch, which must not be recorded. Returns the time during which streams
 * overlapped. */
static int64_t trace_pipeline(struct pipeline *p, struct lab_latch *latch)
{
    struct fixture *b = p->fixture;
    const struct lab_runtime *r = b->runtime;
    struct timeline t = {.count = 0};
    double event_s = 0, before = now_s();
    bool begun = begin_trace(b->device, p->streams, STREAMS);
    bool good = begun && r->latch_close(b->device, latch, p->streams[0], 5) &&
                r->event_record(b->device, p->start, p->streams[0]) && queue_all(p) &&
                r->event_record(b->device, p->stop, p->streams[0]) && r->stream_wait(b->device, b->stream, p->stop) &&
                r->copy(b->device, b->stream, p->memory, p->input, 4096, LAB_H2D); /* not traced */
    r->latch_open(b->device, latch);
    expect_call(b, good, "queueing under a trace");
    expect_call(b, begun && r->trace->end(b->device, store_record, &t), "trace end");
    expect_call(b, r->event_elapsed(b->device, p->start, p->stop, &event_s), "event_elapsed");
    check_timeline(b, &t, event_s, now_s() - before);
    expect_output(p, seed, "the traced pipeline");
    return overlap_ns(&t);
}

/* Traces one operation of each kind on the default stream. */
static void trace_default(struct pipeline *p)
{
    struct fixture *b = p->fixture;
    const struct lab_runtime *r = b->runtime;
    struct timeline t = {.count = 0};
    struct lab_stream *streams[2] = {p->streams[0],
                                     r->default_streams != NULL ? r->default_streams->legacy(b->device) : NULL};
    if (streams[1] == NULL)
        return;
    expect_call(b,
                begin_trace(b->device, streams, 2) && queue_chunk(p, 0, streams[1]) &&
                    r->trace->end(b->device, store_record, &t),
                "tracing the default stream");
    size_t right = 0;
    for (size_t i = 0; i < t.count && i < TRACED_MAX; i++)
        right += t.records[i].lane == 1;
    expect(b, t.count == 3 && right == 3, "the default stream has %zu of %zu records, expected 3", right, t.count);
}

/* Traces a graph. The tracer selects the streams to which it assigns a graph's operations, so records of streams that
 * are not traced may be missing. */
static void trace_graph(struct pipeline *p)
{
    struct fixture *b = p->fixture;
    const struct lab_runtime *r = b->runtime;
    struct timeline t = {.count = 0};
    if (r->graph == NULL || !r->graph->begin(b->device, p->streams[0]))
        return;
    bool queued = queue_all(p);
    struct lab_graph *graph = r->graph->end(b->device, p->streams[0]);
    if (expect_call(b, queued && graph != NULL, "capturing a graph")) {
        expect_call(b,
                    begin_trace(b->device, p->streams, STREAMS) && r->graph->launch(b->device, graph, p->streams[0]) &&
                        r->trace->end(b->device, store_record, &t),
                    "tracing a graph");
        printf("trace: a graph of %d operations leaves %zu records on the streams\n", CHUNKS * 3, t.count);
        expect(b, t.count <= CHUNKS * 3, "a graph of %d operations leaves %zu records", CHUNKS * 3, t.count);
    }
    r->graph->free(b->device, graph);
}

void check_trace(struct fixture *fixture)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    struct timeline t = {.count = 0};
    struct pipeline p;
    if (r->trace == NULL || fixture->kernels == NULL)
        return;
    expect(fixture, !r->trace->end(d, store_record, &t) && t.count == 0, "ending a trace that was not begun must fail");
    struct lab_latch *latch = r->latch_create(d);
    if (open_pipeline(fixture, &p) && expect_call(fixture, latch != NULL, "latch_create")) {
        double start = now_s();
        if (!begin_trace(d, p.streams, STREAMS)) {
            printf("trace: %s: %s\n", lab_error_name(d->error.code), d->error.detail);
            expect(fixture, d->error.code == LAB_ERROR_UNSUPPORTED,
                   "a trace that cannot begin must be \"unsupported\": %s", d->error.detail);
        } else {
            printf("trace: begun in %.3f s\n", now_s() - start);
            expect(fixture, !begin_trace(d, p.streams, STREAMS), "a second trace must be refused");
            expect_call(fixture, r->trace->end(d, store_record, &t), "trace end");
            expect(fixture, t.count == 0, "an idle trace must have no records, not %zu", t.count);
            int64_t together_ns = 0; /* in all rounds, because other programs may use the cores during one of them */
            for (int i = 0; i < 3 && prepare_data(&p, seed); i++)
                together_ns += trace_pipeline(&p, latch);
            expect(fixture, together_ns > 0, "operations of two streams must overlap");
            trace_default(&p);
            trace_graph(&p);
        }
    }
    close_pipeline(&p);
    r->latch_free(d, latch);
}
