/* Fills and checks the buffers on the devices. The source of device r holds the elements of the test pattern from index
 * r * capacity on, or summands of the elements from index 0 on. So every result consists of one or several ranges of
 * that pattern. */
#include "data.h"

#include "measure/verify.h"
#include "summands.h"

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Returns `good`. If it is false, copies the error of the device to the first device, where lab_measure reads it. */
static bool forward_error(const struct collectives_data *data, size_t rank, bool good)
{
    return lab_device_forward_error(data->lanes[0].device, data->lanes[rank].device, good);
}

void collectives_data_release(struct collectives_data *data)
{
    for (size_t r = 0; r < data->device_count; r++) {
        struct lab_device *device = data->lanes[r].device;
        device->runtime->release(device, LAB_MEMORY_DEVICE, data->sources[r]);
        device->runtime->release(device, LAB_MEMORY_DEVICE, data->results[r]);
        data->sources[r] = data->results[r] = NULL;
    }
    data->capacity = 0;
    data->content = COLLECTIVES_NOTHING;
}

/* The buffers grow with the sizes of the sweep, so that the first point does not wait for the allocation of the
 * largest. */
static bool reserve(struct collectives_data *data, size_t bytes)
{
    if (data->capacity >= bytes)
        return true;
    collectives_data_release(data);
    for (size_t r = 0; r < data->device_count; r++) {
        struct lab_device *device = data->lanes[r].device;
        bool good = device->runtime->allocate(device, LAB_MEMORY_DEVICE, bytes, &data->sources[r]) &&
                    device->runtime->allocate(device, LAB_MEMORY_DEVICE, bytes, &data->results[r]);
        if (!forward_error(data, r, good))
            return false;
    }
    data->capacity = bytes;
    return true;
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

/* Index in the pattern of the first element of a device's source, if the operation only moves data. */
static uint64_t first_of(const struct collectives_data *data, size_t rank)
{
    return (uint64_t)rank * (data->capacity / sizeof(float));
}

static struct lab_expectation pattern_from(const struct collectives_data *data, uint64_t first)
{
    return (struct lab_expectation){.content = LAB_CONTENT_FLOATS, .seed = data->seed, .first = first};
}

static bool fill_sources(struct collectives_data *data)
{
    for (size_t r = 0; r < data->device_count; r++)
        if (!forward_error(data, r,
                           lab_verify_fill(data->lanes[r].device, data->lanes[r].stream, LAB_MEMORY_DEVICE,
                                           lab_region_of(data->sources[r], data->capacity),
                                           pattern_from(data, first_of(data, r)))))
            return false;
    return true;
}

bool collectives_data_prepare(struct collectives_data *data, const struct collectives_point *point)
{
    enum collectives_content wanted =
        collectives_reduces(point->operation) ? COLLECTIVES_SUMMANDS : COLLECTIVES_PATTERN;
    if (!reserve(data, point->bytes))
        return false;
    if (data->content == wanted)
        return true;
    data->content = COLLECTIVES_NOTHING;
    bool good =
        wanted == COLLECTIVES_PATTERN
            ? fill_sources(data)
            : collectives_write_summands(data->lanes, data->device_count, data->sources, data->capacity / sizeof(float),
                                         data->seed, &data->lanes[0].device->error);
    if (good)
        data->content = wanted;
    return good;
}

/* The part of the result buffer that belongs to the device itself: its input in an in-place all-gather, its output in
 * an in-place reduce-scatter. */
static float *own_part(const struct collectives_data *data, const struct collectives_point *point, size_t rank)
{
    return (float *)data->results[rank] + rank * point->count;
}

void collectives_data_buffers(const struct collectives_data *data, const struct collectives_point *point,
                              struct lab_collective_buffers *buffers)
{
    for (size_t r = 0; r < data->device_count; r++) {
        buffers[r] = (struct lab_collective_buffers){data->sources[r], data->results[r]};
        if (!point->in_place)
            continue;
        buffers[r].send = point->operation == LAB_ALL_GATHER ? own_part(data, point, r) : data->results[r];
        if (point->operation == LAB_REDUCE_SCATTER)
            buffers[r].receive = own_part(data, point, r);
    }
}

/* --- reset -------------------------------------------------------------------------------------------------------- */

/* Bytes that a device sends in an in-place operation; 0 for the receivers of a broadcast. */
static size_t sent_in_place(const struct collectives_point *point, size_t rank)
{
    if (point->operation == LAB_ALL_GATHER)
        return point->count * sizeof(float);
    return point->operation == LAB_BROADCAST && rank > 0 ? 0 : point->bytes;
}

static bool reset_device(const struct collectives_data *data, const struct collectives_point *point, size_t rank)
{
    const struct lab_lane *lane = &data->lanes[rank];
    const struct lab_runtime *runtime = lane->device->runtime;
    size_t bytes = point->in_place ? sent_in_place(point, rank) : 0;
    void *input = point->operation == LAB_ALL_GATHER ? own_part(data, point, rank) : data->results[rank];
    if (!lab_verify_poison(lane->device, lane->stream, LAB_MEMORY_DEVICE,
                           lab_region_of(data->results[rank], point->bytes), pattern_from(data, 0)))
        return false;
    return bytes == 0 || (runtime->copy(lane->device, lane->stream, input, data->sources[rank], bytes, LAB_D2D) &&
                          runtime->stream_synchronize(lane->device, lane->stream));
}

bool collectives_data_reset(struct collectives_data *data, const struct collectives_point *point)
{
    for (size_t r = 0; r < data->device_count; r++)
        if (!forward_error(data, r, reset_device(data, point, r)))
            return false;
    return true;
}

/* --- verification ------------------------------------------------------------------------------------------------- */

/* Compares `count` elements starting at `begin` with the pattern starting at index `first`, and adds the number of
 * differing elements to *wrong. */
static bool check_range(const struct collectives_data *data, size_t rank, float *begin, size_t count, uint64_t first,
                        uint64_t *wrong)
{
    struct lab_comparison comparison;
    const struct lab_lane *lane = &data->lanes[rank];
    bool good = lab_verify_check(lane->device, lane->stream, LAB_MEMORY_DEVICE,
                                 lab_region_of(begin, count * sizeof(float)), pattern_from(data, first), &comparison);
    *wrong += good ? comparison.wrong : 0;
    return forward_error(data, rank, good);
}

/* Checks a result that consists of one part from each device, each from `offset` on in the source of that device. */
static bool check_parts(const struct collectives_data *data, const struct collectives_point *point, size_t rank,
                        uint64_t offset, uint64_t *wrong)
{
    float *result = data->results[rank];
    for (size_t from = 0; from < data->device_count; from++)
        if (!check_range(data, rank, result + from * point->count, point->count, first_of(data, from) + offset, wrong))
            return false;
    return true;
}

static bool check_on(const struct collectives_data *data, const struct collectives_point *point, size_t rank,
                     uint64_t *wrong)
{
    uint64_t part = (uint64_t)rank * point->count;
    switch (point->operation) {
    case LAB_ALL_GATHER:
        return check_parts(data, point, rank, 0, wrong);
    case LAB_ALL_TO_ALL:
        return check_parts(data, point, rank, part, wrong);
    case LAB_REDUCE_SCATTER:
        return check_range(data, rank, point->in_place ? own_part(data, point, rank) : data->results[rank],
                           point->count, part, wrong);
    case LAB_ALL_REDUCE:
    case LAB_BROADCAST:
    case LAB_COLLECTIVE_OPERATIONS:
        break;
    }
    return check_range(data, rank, data->results[rank], point->count, 0, wrong);
}

bool collectives_data_check(struct collectives_data *data, const struct collectives_point *point, uint64_t *wrong)
{
    *wrong = 0;
    for (size_t r = 0; r < data->device_count; r++)
        if (!check_on(data, point, r, wrong))
            return false;
    return true;
}
