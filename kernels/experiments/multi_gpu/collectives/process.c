/* The buffers of a process: fills, restores and verifies them, and enqueues the operation.
 *
 * The source of the device with rank r holds the elements of the test pattern from index r * capacity on, or summands
 * of the elements from index 0 on. So every result consists of one or several ranges of that pattern. */
#include "process.h"

#include "descriptor/parameters.h"
#include "summands.h"

#include <stdio.h>

/* --- the communicator --------------------------------------------------------------------------------------------- */

void collectives_process_init(struct collectives_process *s, struct lab_run *run)
{
    *s = (struct collectives_process){.run = run,
                                      .runtime = run->devices[0]->runtime,
                                      .resources = {.run = run},
                                      .first = run->group != NULL ? run->group->first_rank : 0};
}

/* Waits for all devices first, because they access each other's memory. The communicator is closed before the buffers
 * and streams that it may use. After an error the devices may never finish, so there is no wait. */
void collectives_process_close(struct collectives_process *s, bool abandoned)
{
    for (size_t i = 0; i < s->devices && s->run->error.code == LAB_ERROR_NONE; i++)
        (void)s->runtime->stream_synchronize(s->lanes[i].device, s->lanes[i].stream);
    if (s->communicator != NULL)
        s->runtime->collective->close(s->communicator, abandoned);
    s->communicator = NULL;
    s->ranks = s->devices = s->capacity = 0;
    lab_resources_release(&s->resources, 0);
}

/* Records the library and the multicast setting with the result. */
static void report_library(const struct collectives_process *s, bool multicast)
{
    const struct lab_group *group = s->run->group;
    char text[LAB_DETAIL_MAX], processes[48] = "";
    if (group != NULL)
        snprintf(processes, sizeof processes, " of %zu processes", group->size);
    snprintf(text, sizeof text, "%s on %zu devices%s, NVLink multicast %s",
             s->runtime->collective->library(s->communicator), s->ranks, processes,
             multicast ? "as set in the environment; if it is on, bus bandwidth may exceed the link bandwidth" : "off");
    s->run->sink.note(s->run->sink.context, text);
}

/* The number of this process's devices among the first `ranks`. */
static size_t own_devices(const struct collectives_process *s, size_t ranks)
{
    size_t after = ranks > s->first ? ranks - s->first : 0;
    return after < s->run->device_count ? after : s->run->device_count;
}

bool collectives_process_join(struct collectives_process *s, size_t ranks, const struct lab_collective_id *id)
{
    struct lab_run *run = s->run;
    const struct lab_runtime_collective *table = s->runtime->collective;
    bool multicast = lab_parameter_integer(run->parameters, "multicast") != 0;
    if (s->ranks == ranks)
        return true;
    collectives_process_close(s, false);
    size_t devices = own_devices(s, ranks);
    for (size_t i = 0; i < devices; i++) {
        s->lanes[i] = (struct lab_lane){run->devices[i], lab_resources_stream(&s->resources, run->devices[i])};
        if (s->lanes[i].stream == NULL)
            return false;
    }
    if (run->group == NULL)
        s->communicator = table->open(run->devices, devices, multicast);
    else if (devices > 0)
        s->communicator =
            table->join(run->devices, devices, &(struct lab_collective_place){*id, s->first, ranks}, multicast);
    if (!lab_run_forward_error(run, run->devices[0], devices == 0 || s->communicator != NULL))
        return false;
    s->ranks = ranks;
    s->devices = devices;
    if (s->first == 0)
        report_library(s, multicast);
    return true;
}

/* --- inputs ------------------------------------------------------------------------------------------------------- */

/* The buffers grow with the sizes of the sweep, so that the first point does not wait for the allocation of the
 * largest. */
static bool reserve(struct collectives_process *s, size_t bytes)
{
    if (s->capacity >= bytes)
        return true;
    lab_resources_release(&s->resources, s->devices);
    s->capacity = 0;
    s->content = COLLECTIVES_NOTHING;
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

static struct lab_expectation pattern_from(const struct collectives_process *s, uint64_t first)
{
    return (struct lab_expectation){.content = LAB_CONTENT_FLOATS,
                                    .seed = (uint64_t)lab_parameter_integer(s->run->parameters, "seed"),
                                    .first = first};
}

/* Index in the pattern of the first element of a device's source, if the operation only moves data. */
static uint64_t first_of(const struct collectives_process *s, size_t rank)
{
    return (uint64_t)rank * (s->capacity / sizeof(float));
}

static bool fill_with_pattern(struct collectives_process *s)
{
    for (size_t r = 0; r < s->devices; r++) {
        const struct lab_lane *lane = &s->lanes[r];
        if (!lab_run_forward_error(s->run, lane->device,
                                   lab_verify_fill(lane->device, lane->stream, LAB_MEMORY_DEVICE,
                                                   lab_region_of(s->sources[r], s->capacity),
                                                   pattern_from(s, first_of(s, s->first + r)))))
            return false;
    }
    return true;
}

static bool fill_sources(struct collectives_process *s)
{
    enum collectives_content wanted =
        collectives_reduces(collectives_operation(&s->point)) ? COLLECTIVES_SUMMANDS : COLLECTIVES_PATTERN;
    const struct collectives_share share = {s->lanes, s->devices, s->first, s->ranks};
    if (s->content == wanted)
        return true;
    s->content = COLLECTIVES_NOTHING;
    if (wanted == COLLECTIVES_PATTERN
            ? !fill_with_pattern(s)
            : !collectives_write_summands(s->run, &share, s->sources, s->capacity / sizeof(float),
                                          pattern_from(s, 0).seed))
        return false;
    s->content = wanted;
    return true;
}

/* --- addresses and results ---------------------------------------------------------------------------------------- */

bool collectives_process_in_place(const struct collectives_process *s)
{
    return s->point.values[COLLECTIVES_IN_PLACE] != 0;
}

/* The part of the result buffer that belongs to the process's device `r` itself: its input in an in-place all-gather,
 * its output in an in-place reduce-scatter. */
static float *own_part(const struct collectives_process *s, size_t r)
{
    return (float *)s->results[r] + (s->first + r) * collectives_count(&s->point);
}

/* In place, both addresses are in the result buffer. */
static void set_buffers(struct collectives_process *s)
{
    enum lab_collective_operation operation = collectives_operation(&s->point);
    for (size_t r = 0; r < s->devices; r++) {
        s->buffers[r] = (struct lab_collective_buffers){collectives_process_in_place(s) ? s->results[r] : s->sources[r],
                                                        s->results[r]};
        if (collectives_process_in_place(s) && operation == LAB_ALL_GATHER)
            s->buffers[r].send = own_part(s, r);
        if (collectives_process_in_place(s) && operation == LAB_REDUCE_SCATTER)
            s->buffers[r].receive = own_part(s, r);
    }
}

/* Adds what the process's device `r` receives at `address`: the pattern from index `first` on. */
static void expect(struct collectives_process *s, size_t r, float *address, uint64_t first)
{
    s->expected.items[s->expected.count++] =
        (struct lab_destination){.lane = s->lanes[r],
                                 .memory = LAB_MEMORY_DEVICE,
                                 .region = lab_region_of(address, collectives_count(&s->point) * sizeof(float)),
                                 .expected = pattern_from(s, first)};
}

static void set_expected(struct collectives_process *s)
{
    enum lab_collective_operation operation = collectives_operation(&s->point);
    bool from_all = operation == LAB_ALL_GATHER || operation == LAB_ALL_TO_ALL;
    size_t count = collectives_count(&s->point);
    s->expected.count = 0;
    for (size_t r = 0; r < s->devices; r++) {
        uint64_t part = operation == LAB_ALL_TO_ALL || operation == LAB_REDUCE_SCATTER ? (s->first + r) * count : 0;
        if (!from_all)
            expect(s, r, s->buffers[r].receive, part);
        for (size_t from = 0; from_all && from < s->ranks; from++)
            expect(s, r, s->buffers[r].receive + from * count, first_of(s, from) + part);
    }
}

bool collectives_process_prepare(struct collectives_process *s, const struct lab_point *point)
{
    s->point = *point;
    if (!reserve(s, collectives_bytes(point)) || !fill_sources(s))
        return false;
    set_buffers(s);
    set_expected(s);
    return true;
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

bool collectives_process_enqueue(struct collectives_process *s)
{
    s->repetitions++;
    return s->devices == 0 || s->runtime->collective->enqueue(s->communicator, collectives_operation(&s->point),
                                                              collectives_count(&s->point), s->lanes, s->buffers);
}

/* The number of the process's devices that have an input in place: of a broadcast, only the first of all has. */
static size_t inputs_in_place(const struct collectives_process *s)
{
    if (!collectives_process_in_place(s))
        return 0;
    return collectives_operation(&s->point) != LAB_BROADCAST ? s->devices : s->first == 0;
}

bool collectives_process_restore(struct collectives_process *s)
{
    enum lab_collective_operation operation = collectives_operation(&s->point);
    size_t bytes =
        operation == LAB_ALL_GATHER ? collectives_count(&s->point) * sizeof(float) : collectives_bytes(&s->point);
    s->repetitions = 0;
    for (size_t r = 0; r < inputs_in_place(s); r++) {
        const struct lab_lane *lane = &s->lanes[r];
        void *input = operation == LAB_ALL_GATHER ? own_part(s, r) : s->results[r];
        if (!lab_device_forward_error(
                s->run->devices[0], lane->device,
                s->runtime->copy(lane->device, lane->stream, input, s->sources[r], bytes, LAB_D2D)))
            return false;
    }
    return true;
}

bool collectives_process_synchronize(struct collectives_process *s)
{
    for (size_t r = 0; r < s->devices; r++) {
        const struct lab_lane *lane = &s->lanes[r];
        if (!lab_device_forward_error(s->run->devices[0], lane->device,
                                      s->runtime->stream_synchronize(lane->device, lane->stream)))
            return false;
    }
    return true;
}

bool collectives_process_reset(struct collectives_process *s)
{
    return lab_destinations_poison(&s->expected, s->run->devices[0]) && collectives_process_restore(s) &&
           collectives_process_synchronize(s);
}

bool collectives_process_check(struct collectives_process *s, uint64_t *wrong)
{
    return lab_destinations_check(&s->expected, s->run->devices[0], wrong);
}
