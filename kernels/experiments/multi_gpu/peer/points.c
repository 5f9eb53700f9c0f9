/* The axes of peer, and its plan. */
#include "peer.h"

#include "descriptor/estimate.h"
#include "descriptor/parameters.h"

#include <string.h>

/* --- the axes ----------------------------------------------------------------------------------------------------- */

static bool contains(const struct lab_parameters *given, const char *name, int64_t first, int64_t last)
{
    const struct lab_values *values = lab_parameter_values(given, name);
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i].integer >= first && values->items[i].integer <= last)
            return true;
    return false;
}

/* The points between devices, for each value of the parameter; then the points with the host, which have no value. */
static void list_peer_access(const struct lab_points_request *request, const struct lab_point *point,
                             struct lab_axis_values *values)
{
    (void)point;
    if (contains(request->parameters, "pattern", PEER_PAIR, PEER_ALL_TO_ALL))
        lab_axis_values_add_parameter(values, request, "peer_access");
    if (contains(request->parameters, "pattern", PEER_HOST_UP, PEER_HOST_DOWN))
        lab_axis_values_add(values, LAB_NO_VALUE);
}

static bool is_between_devices(const struct lab_point *point)
{
    return point->values[PEER_ACCESS] != LAB_NO_VALUE;
}

static bool keeps_pattern(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    (void)request;
    return (value < PEER_HOST_UP) == is_between_devices(point);
}

static void list_sizes(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    int64_t latency_bytes = lab_parameter_integer(request->parameters, "latency_bytes");
    lab_axis_values_add_parameter(values, request, "bytes");
    if (point->values[PEER_PATTERN] == PEER_PAIR &&
        !contains(request->parameters, "bytes", latency_bytes, latency_bytes))
        lab_axis_values_add(values, latency_bytes);
}

static bool is_pair(const struct lab_point *point)
{
    return point->values[PEER_PATTERN] == PEER_PAIR || point->values[PEER_PATTERN] == PEER_BOTH_WAYS;
}

static bool is_all_to_all(const struct lab_point *point)
{
    return point->values[PEER_PATTERN] == PEER_ALL_TO_ALL;
}

/* With two devices each has one copy, whatever the schedule. */
static void list_schedules(const struct lab_points_request *request, const struct lab_point *point,
                           struct lab_axis_values *values)
{
    (void)point;
    if (request->device_count > 2)
        lab_axis_values_add_parameter(values, request, "schedule");
    else
        lab_axis_values_add(values, lab_parameter_values(request->parameters, "schedule")->items[0].integer);
}

static void list_opposing(const struct lab_points_request *request, const struct lab_point *point,
                          struct lab_axis_values *values)
{
    (void)request;
    lab_axis_values_add(values, point->values[PEER_PATTERN] == PEER_BOTH_WAYS);
}

/* Whether the points of a pattern have all devices at once as sources or targets, each device by itself, or both one
 * after the other. */
enum { ALL = 1, EACH = 2 };
static const struct {
    int sources, targets;
} ends[] = {
    [PEER_PAIR] = {EACH, EACH},           [PEER_BOTH_WAYS] = {EACH, EACH}, [PEER_ONE_TO_ALL] = {EACH, ALL},
    [PEER_ALL_TO_ONE] = {ALL, EACH},      [PEER_ALL_TO_ALL] = {ALL, ALL},  [PEER_HOST_UP] = {ALL, ALL | EACH},
    [PEER_HOST_DOWN] = {ALL | EACH, ALL},
};

/* Adds the values of an axis of devices, those by themselves from `first` on. */
static void add_devices(struct lab_axis_values *values, int which, size_t first, size_t count, int64_t except)
{
    if ((which & ALL) != 0)
        lab_axis_values_add(values, LAB_NO_VALUE);
    for (size_t i = first; (which & EACH) != 0 && i < count; i++)
        if ((int64_t)i != except)
            lab_axis_values_add(values, (int64_t)i);
}

static void list_sources(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    add_devices(values, ends[point->values[PEER_PATTERN]].sources, 0, request->device_count, LAB_NO_VALUE);
}

/* The pattern both-ways is symmetric: its points are the unordered pairs. */
static void list_targets(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    int64_t pattern = point->values[PEER_PATTERN], source = point->values[PEER_SOURCE];
    add_devices(values, ends[pattern].targets, pattern == PEER_BOTH_WAYS ? (size_t)source + 1 : 0,
                request->device_count, source);
}

const struct lab_axis peer_axes[] = {
    [PEER_ACCESS] = {.name = "peer_access", .list = list_peer_access},
    [PEER_ENGINE] = {.name = "engine"},
    [PEER_OPERATION] = {.name = "access", .applies = is_between_devices},
    [PEER_PATTERN] = {.name = "pattern", .keeps = keeps_pattern},
    [PEER_SCHEDULE] = {.name = "schedule", .applies = is_all_to_all, .list = list_schedules},
    [PEER_BYTES] = {.name = "bytes", .list = list_sizes},
    [PEER_OPPOSING] = {.name = "opposing",
                       .title = "Other direction busy",
                       .boolean = true,
                       .applies = is_pair,
                       .list = list_opposing},
    [PEER_SOURCE] = {.name = "source", .title = "From", .devices = true, .list = list_sources},
    [PEER_TARGET] = {.name = "target", .title = "To", .devices = true, .list = list_targets},
    {0},
};

/* --- a point ------------------------------------------------------------------------------------------------------ */

bool peer_is_latency(const struct lab_parameters *given, const struct lab_point *point)
{
    return point->values[PEER_PATTERN] == PEER_PAIR &&
           point->values[PEER_BYTES] == lab_parameter_integer(given, "latency_bytes");
}

bool peer_is_sized(const struct lab_parameters *given, const struct lab_point *point)
{
    return contains(given, "bytes", point->values[PEER_BYTES], point->values[PEER_BYTES]);
}

bool peer_is_alike(const struct lab_point *one, const struct lab_point *other)
{
    bool alike = is_pair(one);
    for (size_t i = 0; i < PEER_SOURCE; i++)
        alike = alike && one->values[i] == other->values[i];
    for (size_t i = PEER_SOURCE; i <= PEER_TARGET; i++)
        alike = alike && one->values[i] != other->values[PEER_SOURCE] && one->values[i] != other->values[PEER_TARGET];
    return alike;
}

const char *peer_skip_reason(const struct lab_point *point)
{
    if (point->values[PEER_ENGINE] == PEER_SM && point->values[PEER_ACCESS] == 0)
        return "a kernel can access another device's memory only with peer access";
    return NULL;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

size_t peer_buffer_bytes(const struct lab_parameters *given)
{
    const struct lab_values *sizes = lab_parameter_values(given, "bytes");
    int64_t extent = lab_parameter_integer(given, "latency_bytes");
    for (size_t s = 0; s < sizes->count; s++)
        if (sizes->items[s].integer > extent)
            extent = sizes->items[s].integer;
    return (size_t)extent;
}

size_t peer_destination_count(const struct lab_parameters *given, size_t devices)
{
    return contains(given, "pattern", PEER_ALL_TO_ONE, PEER_ALL_TO_ALL) ? devices - 1 : 1;
}

static size_t copies_of(const struct lab_point *point, size_t devices)
{
    switch ((enum peer_pattern)point->values[PEER_PATTERN]) {
    case PEER_PAIR:
        return 1;
    case PEER_BOTH_WAYS:
        return 2;
    case PEER_ONE_TO_ALL:
    case PEER_ALL_TO_ONE:
        return devices - 1;
    case PEER_ALL_TO_ALL:
        return devices * (devices - 1);
    case PEER_HOST_UP:
    case PEER_HOST_DOWN:
        break;
    }
    return devices;
}

/* Assumes 5 us and a bandwidth of all copies together of 20 GB/s, on the CPU 5 GB/s, and for poisoning and checking
 * 200 GB/s, on the CPU 1 GB/s. */
static void peer_add_point(const struct lab_points_request *request, const struct lab_point *point,
                           struct lab_estimate *estimate)
{
    bool cpu = lab_facts_is_cpu(request->devices[0]);
    double bytes = (double)copies_of(point, request->device_count) * (double)point->values[PEER_BYTES];
    /* Of the pairs that are measured at the same time, one has the first device. */
    bool beside = is_pair(point) && peer_has_own_link(request->devices, point) && point->values[PEER_SOURCE] != 0 &&
                  point->values[PEER_TARGET] != 0;
    if (peer_skip_reason(point) == NULL && !beside)
        lab_estimate_add_point(estimate, request->parameters, 5e-6 + bytes / (cpu ? 5e9 : 20e9),
                               4 * bytes / (cpu ? 1e9 : 200e9), false);
}

bool peer_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
               struct lab_estimate *estimate, struct lab_errors *errors)
{
    const struct lab_points_request request = {given, devices, device_count};
    uint64_t extent = peer_buffer_bytes(given);
    bool host = contains(given, "pattern", PEER_HOST_UP, PEER_HOST_DOWN);
    *estimate = (struct lab_estimate){.device_bytes = (1 + peer_destination_count(given, device_count)) * extent,
                                      .host_bytes = host ? device_count * extent : 0};
    return lab_estimate_points(&request, peer_add_point, estimate, errors) &&
           lab_estimate_check_memory(estimate, devices, device_count, "a source buffer and the destination buffers",
                                     "/parameters/bytes", errors);
}
