/* Prepares and enqueues LAB_OPERATION_FLUSH. */
#include "measure/flush.h"

void lab_flushes_release(struct lab_flushes *flushes)
{
    for (size_t i = 0; i < flushes->count; i++) {
        struct lab_device *device = flushes->items[i].device;
        device->runtime->plan_free(device, flushes->items[i].plan);
    }
    *flushes = (struct lab_flushes){0};
}

static struct lab_plan *find(const struct lab_flushes *flushes, const struct lab_device *device)
{
    for (size_t i = 0; i < flushes->count; i++)
        if (flushes->items[i].device == device)
            return flushes->items[i].plan;
    return NULL;
}

bool lab_flushes_prepare(struct lab_flushes *flushes, const struct lab_lane *lanes, size_t count)
{
    static const struct lab_operation operation = {.kind = LAB_OPERATION_FLUSH};
    for (size_t i = 0; i < count; i++) {
        struct lab_device *device = lanes[i].device;
        if (find(flushes, device) != NULL)
            continue;
        struct lab_plan *plan = device->runtime->prepare(device, &operation);
        if (plan == NULL)
            return lab_device_forward_error(lanes[0].device, device, false);
        flushes->items[flushes->count].device = device;
        flushes->items[flushes->count++].plan = plan;
    }
    return true;
}

/* Whether an earlier lane has the same device as lane `index`. */
static bool is_repeated(const struct lab_lane *lanes, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (lanes[i].device == lanes[index].device)
            return true;
    return false;
}

bool lab_flushes_enqueue(const struct lab_flushes *flushes, const struct lab_lane *lanes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct lab_device *device = lanes[i].device;
        if (!is_repeated(lanes, i) && !device->runtime->enqueue(device, find(flushes, device), lanes[i].stream))
            return lab_device_forward_error(lanes[0].device, device, false);
    }
    return true;
}
