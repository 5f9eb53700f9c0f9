/* Measures the points of collectives: forms the group of devices, fills, restores and verifies their buffers, enqueues the
 * operation.
 *
 * The source of device r holds the elements of the test pattern from index r * capacity on, or summands of the elements
 * from index 0 on. So every result consists of one or several ranges of that pattern. */
#include "collectives.h"

#include "benchmark/axes.h"
#include "benchmark/loop.h"
#include "benchmark/resources.h"
#include "experiment/parameters.h"
#include "measure/verify.h"
#include "summands.h"

#include <stdio.h>
#include <string.h>

/* Of 31 repetitions and a leading one in place, the last adds up sums below 16^31 = 2^124 on the largest number of
 * devices, which fp32 can represent. */
enum { REPETITIONS_MAX = 31 };

static const double sample_s = 5e-3; /* METHOD.md 18 */

/* Contents of the source buffers. PATTERN, for operations that only move data: different elements of the test pattern on
 * each device. SUMMANDS, for reductions: summands, whose sum over all devices is the pattern. */
enum content { NOTHING, PATTERN, SUMMANDS };

struct collectives {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    struct lab_resources resources; /* a stream of each device, then the buffers */
    size_t devices;                 /* number of devices of the communicator; 0: none is open */
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX];
    struct lab_collective *communicator;
    size_t capacity; /* bytes of each buffer */
    enum content content;
    void *sources[LAB_RUN_DEVICES_MAX], *results[LAB_RUN_DEVICES_MAX]; /* send and receive buffer of each device */

    struct lab_point point; /* the prepared point */
    struct lab_collective_buffers buffers[LAB_RUN_DEVICES_MAX];
    struct lab_destinations expected; /* the results of one repetition on buffers that were just reset */
    size_t repetitions;               /* number of repetitions since the inputs were written */
};

/* --- the communicator --------------------------------------------------------------------------------------------- */

/* Waits for all devices first, because they access each other's memory. The communicator is closed before the buffers
 * and streams that it may use. After an error the devices may never finish, so there is no wait. */
static void close_communicator(struct collectives *s)
{
    for (size_t i = 0; i < s->devices && s->run->error.code == NULL; i++)
        (void)s->runtime->stream_synchronize(s->lanes[i].device, s->lanes[i].stream);
    if (s->communicator != NULL)
        s->runtime->collective->close(s->communicator);
    s->communicator = NULL;
    s->devices = s->capacity = 0;
    lab_resources_release(&s->resources, 0);
}

/* Records the library and the multicast setting with the result. */
static void report_library(const struct collectives *s, bool multicast)
{
    char text[LAB_DETAIL_MAX];
    snprintf(text, sizeof text, "%s on %zu devices, NVLink multicast %s",
             s->runtime->collective->library(s->communicator), s->devices,
             multicast ? "as set in the environment; if it is on, bus bandwidth may exceed the link bandwidth" : "off");
    s->run->sink.note(s->run->sink.context, text);
}

/* Forms the group of the run's first `count` devices, unless it exists. Returns false with run->error set; the code is
 * "unsupported" if the devices have no library for it. */
static bool open_communicator(struct collectives *s, size_t count)
{
    struct lab_run *run = s->run;
    bool multicast = lab_parameter_integer(run->parameters, "multicast") != 0;
    if (s->devices == count)
        return true;
    close_communicator(s);
    for (size_t i = 0; i < count; i++) {
        s->lanes[i] = (struct lab_lane){run->devices[i], lab_resources_stream(&s->resources, run->devices[i])};
        if (s->lanes[i].stream == NULL)
            return false;
    }
    s->communicator = s->runtime->collective->open(run->devices, count, multicast);
    if (!lab_run_forward_error(run, run->devices[0], s->communicator != NULL))
        return false;
    s->devices = count;
    report_library(s, multicast);
    return true;
}

/* Opens the first communicator before the loop begins and the time budget starts, because this can take longer than a
 * quick run. */
static bool open_first(struct collectives *s)
{
    int64_t asked = lab_parameter_values(s->run->parameters, "device_count")->items[0].integer;
    if (s->runtime->collective == NULL || open_communicator(s, lab_device_count(asked, s->run->device_count)))
        return true;
    if (strcmp(s->run->error.code, "unsupported") != 0)
        return false;
    s->run->error = (struct lab_error){0}; /* the points are skipped */
    return true;
}

/* --- inputs ------------------------------------------------------------------------------------------------------- */

/* The buffers grow with the sizes of the sweep, so that the first point does not wait for the allocation of the
 * largest. */
static bool reserve(struct collectives *s, size_t bytes)
{
    if (s->capacity >= bytes)
        return true;
    lab_resources_release(&s->resources, s->devices);
    s->capacity = 0;
    s->content = NOTHING;
    for (size_t r = 0; r < s->devices; r++) {
        struct lab_device *device = s->lanes[r].device;
        s->sources[r] = lab_resources_memory(&s->resources, device, LAB_MEMORY_DEVICE, bytes);
        s->results[r] = lab_resources_memory(&s->resources, device, LAB_MEMORY_DEVICE, bytes);
        if (s->sources[r] == NULL || s->results[r] == NULL)
            return false;
    }
    s->capacity = bytes;
    return true;
}

static struct lab_expectation pattern_from(const struct collectives *s, uint64_t first)
{
    return (struct lab_expectation){.content = LAB_CONTENT_FLOATS,
                                    .seed = (uint64_t)lab_parameter_integer(s->run->parameters, "seed"),
                                    .first = first};
}

/* Index in the pattern of the first element of a device's source, if the operation only moves data. */
static uint64_t first_of(const struct collectives *s, size_t rank)
{
    return (uint64_t)rank * (s->capacity / sizeof(float));
}

static bool fill_with_pattern(struct collectives *s)
{
    for (size_t r = 0; r < s->devices; r++) {
        const struct lab_lane *lane = &s->lanes[r];
        if (!lab_run_forward_error(s->run, lane->device,
                                   lab_verify_fill(lane->device, lane->stream, LAB_MEMORY_DEVICE,
                                                   lab_region_of(s->sources[r], s->capacity),
                                                   pattern_from(s, first_of(s, r)))))
            return false;
    }
    return true;
}

static bool fill_sources(struct collectives *s)
{
    enum content wanted = collectives_reduces(collectives_operation(&s->point)) ? SUMMANDS : PATTERN;
    if (s->content == wanted)
        return true;
    s->content = NOTHING;
    if (wanted == PATTERN ? !fill_with_pattern(s)
                          : !collectives_write_summands(s->run, s->lanes, s->devices, s->sources,
                                                        s->capacity / sizeof(float), pattern_from(s, 0).seed))
        return false;
    s->content = wanted;
    return true;
}

/* --- addresses and results ---------------------------------------------------------------------------------------- */

static bool in_place(const struct collectives *s)
{
    return s->point.values[COLLECTIVES_IN_PLACE] != 0;
}

/* The part of the result buffer that belongs to the device itself: its input in an in-place all-gather, its output in
 * an in-place reduce-scatter. */
static float *own_part(const struct collectives *s, size_t rank)
{
    return (float *)s->results[rank] + rank * collectives_count(&s->point);
}

/* In place, both addresses are in the result buffer. */
static void set_buffers(struct collectives *s)
{
    enum lab_collective_operation operation = collectives_operation(&s->point);
    for (size_t r = 0; r < s->devices; r++) {
        s->buffers[r] = (struct lab_collective_buffers){in_place(s) ? s->results[r] : s->sources[r], s->results[r]};
        if (in_place(s) && operation == LAB_ALL_GATHER)
            s->buffers[r].send = own_part(s, r);
        if (in_place(s) && operation == LAB_REDUCE_SCATTER)
            s->buffers[r].receive = own_part(s, r);
    }
}

/* Adds what device `rank` receives at `address`: the pattern from index `first` on. */
static void expect(struct collectives *s, size_t rank, float *address, uint64_t first)
{
    s->expected.items[s->expected.count++] =
        (struct lab_destination){.lane = s->lanes[rank],
                                 .memory = LAB_MEMORY_DEVICE,
                                 .region = lab_region_of(address, collectives_count(&s->point) * sizeof(float)),
                                 .expected = pattern_from(s, first)};
}

static void set_expected(struct collectives *s)
{
    enum lab_collective_operation operation = collectives_operation(&s->point);
    bool from_all = operation == LAB_ALL_GATHER || operation == LAB_ALL_TO_ALL;
    size_t count = collectives_count(&s->point);
    s->expected.count = 0;
    for (size_t r = 0; r < s->devices; r++) {
        uint64_t part = operation == LAB_ALL_TO_ALL || operation == LAB_REDUCE_SCATTER ? (uint64_t)r * count : 0;
        if (!from_all)
            expect(s, r, s->buffers[r].receive, part);
        for (size_t from = 0; from_all && from < s->devices; from++)
            expect(s, r, s->buffers[r].receive + from * count, first_of(s, from) + part);
    }
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

static bool enqueue(void *context)
{
    struct collectives *s = context;
    s->repetitions++;
    return s->runtime->collective->enqueue(s->communicator, collectives_operation(&s->point),
                                           collectives_count(&s->point), s->lanes, s->buffers);
}

/* Enqueues copies of the inputs to the buffers of an operation in place; does nothing for others. The receivers of a
 * broadcast have no input. */
static bool restore(void *context)
{
    struct collectives *s = context;
    enum lab_collective_operation operation = collectives_operation(&s->point);
    size_t bytes =
        operation == LAB_ALL_GATHER ? collectives_count(&s->point) * sizeof(float) : collectives_bytes(&s->point);
    s->repetitions = 0;
    for (size_t r = 0; in_place(s) && r < (operation == LAB_BROADCAST ? 1 : s->devices); r++) {
        const struct lab_lane *lane = &s->lanes[r];
        void *input = operation == LAB_ALL_GATHER ? own_part(s, r) : s->results[r];
        if (!lab_device_forward_error(
                s->lanes[0].device, lane->device,
                s->runtime->copy(lane->device, lane->stream, input, s->sources[r], bytes, LAB_D2D)))
            return false;
    }
    return true;
}

/* Poisons the results and restores the inputs. */
static bool reset(void *context)
{
    struct collectives *s = context;
    if (!lab_destinations_poison(&s->expected, s->lanes[0].device) || !restore(s))
        return false;
    for (size_t r = 0; r < s->devices; r++) {
        const struct lab_lane *lane = &s->lanes[r];
        if (!lab_device_forward_error(s->lanes[0].device, lane->device,
                                      s->runtime->stream_synchronize(lane->device, lane->stream)))
            return false;
    }
    return true;
}

/* In place, each repetition adds up the sums of the previous one, so the results after several repetitions are not
 * checked. lab_measure verifies one more repetition on reset buffers, which is checked completely. */
static bool verify(void *context, uint64_t *wrong)
{
    struct collectives *s = context;
    *wrong = 0;
    if (in_place(s) && collectives_reduces(collectives_operation(&s->point)) && s->repetitions > 1)
        return true;
    return lab_destinations_check(&s->expected, s->lanes[0].device, wrong);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static struct lab_work work_of(struct collectives *s)
{
    bool grows = in_place(s) && collectives_operation(&s->point) == LAB_ALL_REDUCE;
    return (struct lab_work){
        .timing = LAB_TIME_EVENTS,
        .lane_count = s->devices,
        .lanes = s->lanes,
        .sample_s = sample_s,
        .context = s,
        .enqueue = enqueue,
        .poison = reset,
        .verify = verify,
        .before_sample = grows ? restore : NULL,
        .repetitions_max = grows ? REPETITIONS_MAX : 0,
        .collective = true,
    };
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct collectives *s = context;
    size_t devices = (size_t)point->values[COLLECTIVES_DEVICES], bytes = collectives_bytes(point);
    const char *impossible = collectives_skip_reason(point);
    if (s->runtime->collective == NULL)
        impossible = "the runtime of these devices has no collectives";
    if (impossible != NULL) {
        snprintf(c->skipped, sizeof c->skipped, "%s", impossible);
        return true;
    }
    s->point = *point;
    if (!open_communicator(s, devices) || !reserve(s, bytes) || !fill_sources(s))
        return false;
    set_buffers(s);
    set_expected(s);
    c->work = work_of(s);
    c->counts[LAB_COUNT_BYTES] = (double)bytes;
    c->counts[LAB_COUNT_AGGREGATE_BYTES] =
        (double)bytes * collectives_bus_factor(collectives_operation(point), devices);
    /* A device holds a send and a receive buffer, in place only one. */
    lab_loop_warn_of_cache(s->run, s->lanes[0].device, (in_place(s) ? 1 : 2) * bytes);
    return true;
}

bool collectives_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin};
    struct collectives s = {.run = run, .runtime = run->devices[0]->runtime, .resources = {.run = run}};
    bool good = open_first(&s) && lab_loop_run(run, &loop, &s);
    close_communicator(&s);
    return good;
}
