/* Fills and checks the buffers on the devices. The source of device r holds the elements of the test pattern from index
 * r * capacity on, or summands of the elements from index 0 on. So every result consists of one or several ranges of
 * that pattern. */
#include "data.h"

#include "measure/verify.h"
#include "summands.h"

/* Calls `step` for every device, as long as it succeeds. */
static bool each_rank(struct collectives_data *data, const struct lab_point *point,
                      bool (*step)(struct collectives_data *data, const struct lab_point *point, size_t rank))
{
    for (size_t r = 0; r < data->device_count; r++)
        if (!lab_device_forward_error(data->lanes[0].device, data->lanes[r].device, step(data, point, r)))
            return false;
    return true;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

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

static bool allocate(struct collectives_data *data, const struct lab_point *point, size_t rank)
{
    struct lab_device *device = data->lanes[rank].device;
    size_t bytes = collectives_bytes(point);
    return device->runtime->allocate(device, LAB_MEMORY_DEVICE, bytes, &data->sources[rank]) &&
           device->runtime->allocate(device, LAB_MEMORY_DEVICE, bytes, &data->results[rank]);
}

/* The buffers grow with the sizes of the sweep, so that the first point does not wait for the allocation of the
 * largest. */
static bool reserve(struct collectives_data *data, const struct lab_point *point)
{
    if (data->capacity >= collectives_bytes(point))
        return true;
    collectives_data_release(data);
    if (!each_rank(data, point, allocate))
        return false;
    data->capacity = collectives_bytes(point);
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

static bool fill_source(struct collectives_data *data, const struct lab_point *point, size_t rank)
{
    const struct lab_lane *lane = &data->lanes[rank];
    (void)point;
    return lab_verify_fill(lane->device, lane->stream, LAB_MEMORY_DEVICE,
                           lab_region_of(data->sources[rank], data->capacity),
                           pattern_from(data, first_of(data, rank)));
}

bool collectives_data_prepare(struct collectives_data *data, const struct lab_point *point)
{
    enum collectives_content wanted =
        collectives_reduces(collectives_operation(point)) ? COLLECTIVES_SUMMANDS : COLLECTIVES_PATTERN;
    if (!reserve(data, point))
        return false;
    if (data->content == wanted)
        return true;
    data->content = COLLECTIVES_NOTHING;
    bool good =
        wanted == COLLECTIVES_PATTERN
            ? each_rank(data, point, fill_source)
            : collectives_write_summands(data->lanes, data->device_count, data->sources, data->capacity / sizeof(float),
                                         data->seed, &data->lanes[0].device->error);
    if (good)
        data->content = wanted;
    return good;
}

/* The part of the result buffer that belongs to the device itself: its input in an in-place all-gather, its output in
 * an in-place reduce-scatter. */
static float *own_part(const struct collectives_data *data, const struct lab_point *point, size_t rank)
{
    return (float *)data->results[rank] + rank * collectives_count(point);
}

void collectives_data_buffers(const struct collectives_data *data, const struct lab_point *point,
                              struct lab_collective_buffers *buffers)
{
    enum lab_collective_operation operation = collectives_operation(point);
    bool in_place = point->values[COLLECTIVES_IN_PLACE] != 0;
    for (size_t r = 0; r < data->device_count; r++) {
        buffers[r] = (struct lab_collective_buffers){in_place ? data->results[r] : data->sources[r], data->results[r]};
        if (in_place && operation == LAB_ALL_GATHER)
            buffers[r].send = own_part(data, point, r);
        if (in_place && operation == LAB_REDUCE_SCATTER)
            buffers[r].receive = own_part(data, point, r);
    }
}

/* --- reset -------------------------------------------------------------------------------------------------------- */

/* The receivers of a broadcast have no input. */
static bool restore(struct collectives_data *data, const struct lab_point *point, size_t rank)
{
    const struct lab_lane *lane = &data->lanes[rank];
    enum lab_collective_operation operation = collectives_operation(point);
    bool part = operation == LAB_ALL_GATHER;
    if (point->values[COLLECTIVES_IN_PLACE] == 0 || (operation == LAB_BROADCAST && rank > 0))
        return true;
    return lane->device->runtime->copy(
        lane->device, lane->stream, part ? own_part(data, point, rank) : data->results[rank], data->sources[rank],
        part ? collectives_count(point) * sizeof(float) : collectives_bytes(point), LAB_D2D);
}

static bool poison(struct collectives_data *data, const struct lab_point *point, size_t rank)
{
    const struct lab_lane *lane = &data->lanes[rank];
    return lab_verify_poison(lane->device, lane->stream, LAB_MEMORY_DEVICE,
                             lab_region_of(data->results[rank], collectives_bytes(point)), pattern_from(data, 0));
}

static bool synchronize(struct collectives_data *data, const struct lab_point *point, size_t rank)
{
    const struct lab_lane *lane = &data->lanes[rank];
    (void)point;
    return lane->device->runtime->stream_synchronize(lane->device, lane->stream);
}

bool collectives_data_restore(struct collectives_data *data, const struct lab_point *point)
{
    return each_rank(data, point, restore);
}

bool collectives_data_reset(struct collectives_data *data, const struct lab_point *point)
{
    return each_rank(data, point, poison) && each_rank(data, point, restore) && each_rank(data, point, synchronize);
}

/* --- verification ------------------------------------------------------------------------------------------------- */

/* Compares `count` elements starting at `begin` with the pattern starting at index `first`, and adds the number of
 * differing elements to data->wrong. */
static bool check_range(struct collectives_data *data, size_t rank, float *begin, size_t count, uint64_t first)
{
    struct lab_comparison comparison;
    const struct lab_lane *lane = &data->lanes[rank];
    if (!lab_verify_check(lane->device, lane->stream, LAB_MEMORY_DEVICE, lab_region_of(begin, count * sizeof(float)),
                          pattern_from(data, first), &comparison))
        return false;
    data->wrong += comparison.wrong;
    return true;
}

/* Checks a result that consists of one part from each device, each from `offset` on in the source of that device. */
static bool check_parts(struct collectives_data *data, size_t rank, size_t count, uint64_t offset)
{
    float *result = data->results[rank];
    for (size_t from = 0; from < data->device_count; from++)
        if (!check_range(data, rank, result + from * count, count, first_of(data, from) + offset))
            return false;
    return true;
}

static bool check(struct collectives_data *data, const struct lab_point *point, size_t rank)
{
    size_t count = collectives_count(point);
    uint64_t part = (uint64_t)rank * count;
    switch (collectives_operation(point)) {
    case LAB_ALL_GATHER:
        return check_parts(data, rank, count, 0);
    case LAB_ALL_TO_ALL:
        return check_parts(data, rank, count, part);
    case LAB_REDUCE_SCATTER:
        return check_range(data, rank,
                           point->values[COLLECTIVES_IN_PLACE] != 0 ? own_part(data, point, rank) : data->results[rank],
                           count, part);
    case LAB_ALL_REDUCE:
    case LAB_BROADCAST:
    case LAB_COLLECTIVE_OPERATIONS:
        break;
    }
    return check_range(data, rank, data->results[rank], count, 0);
}

bool collectives_data_check(struct collectives_data *data, const struct lab_point *point)
{
    data->wrong = 0;
    return each_rank(data, point, check);
}
