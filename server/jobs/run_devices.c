/* Chooses and checks the devices of a run. */
#include "run_devices.h"

#include "core/text.h"

#include <string.h>

/* The name of the node that has the device with this index; "" if there is none. */
static const char *node_at(const json_t *devices, size_t index)
{
    const char *node = json_string_value(json_object_get(json_array_get(devices, index), "node"));
    return node != NULL ? node : "";
}

const char *lab_node_of_run(const json_t *devices)
{
    return node_at(devices, 0);
}

bool lab_run_spans_nodes(const json_t *devices)
{
    bool spans = false;
    for (size_t i = 1; i < json_array_size(devices); i++)
        spans = spans || strcmp(node_at(devices, i), node_at(devices, 0)) != 0;
    return spans;
}

/* Adds a device to the list; false when there is none with that id. */
static bool add(json_t *list, struct lab_devices *devices, const char *id)
{
    struct lab_device_facts facts;
    ptrdiff_t node = lab_devices_node_of(devices, id);
    return node >= 0 && lab_devices_find(devices, id, &facts) &&
           json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "id", id, "name", facts.name, "node",
                                                 lab_devices_node_name(devices, (size_t)node))) == 0;
}

/* --- by default --------------------------------------------------------------------------------------------------- */

/* The number of available devices of a node. */
static size_t count_available(struct lab_devices *devices, size_t node)
{
    char id[LAB_ID_MAX];
    size_t count = 0;
    while (lab_devices_available(devices, node, count, id))
        count++;
    return count;
}

/* The first node with at least this many available devices, or else the node with the most. */
static size_t choose_node(struct lab_devices *devices, size_t least)
{
    size_t chosen = 0, most = 0;
    for (size_t node = 0; node < lab_devices_node_count(devices) && most < least; node++) {
        size_t count = count_available(devices, node);
        if (count > most) {
            chosen = node;
            most = count;
        }
    }
    return chosen;
}

/* Takes the available devices of a node, at most as many as the experiment uses unless it is told. */
static void take_available(json_t *list, struct lab_devices *devices, const struct lab_experiment *experiment,
                           size_t node, struct lab_errors *errors)
{
    bool several = lab_devices_node_count(devices) > 1;
    size_t least = experiment->devices_min, taken = 0;
    size_t most = experiment->devices_usual > 0 ? experiment->devices_usual : experiment->devices_max;
    char id[LAB_ID_MAX];
    for (; taken < most && lab_devices_available(devices, node, taken, id); taken++)
        add(list, devices, id);
    if (taken < least)
        lab_errors_add(errors, LAB_ERROR_NO_DEVICE, "/devices",
                       "%s needs at least %zu device%s%s, but %zu %s available%s%s.", experiment->name, least,
                       least == 1 ? "" : "s", several ? " of one machine" : "", taken, taken == 1 ? "is" : "are",
                       several ? " on " : "", several ? lab_devices_node_name(devices, node) : "");
}

/* --- as requested ------------------------------------------------------------------------------------------------- */

static void add_requested(json_t *list, struct lab_devices *devices, const json_t *ids, struct lab_errors *errors)
{
    for (size_t i = 0; i < json_array_size(ids); i++) {
        const char *id = json_string_value(json_array_get(ids, i));
        char pointer[32] = "/devices";
        lab_pointer_append_index(pointer, sizeof pointer, i);
        if (id != NULL && !add(list, devices, id))
            lab_errors_add(errors, LAB_ERROR_UNKNOWN_DEVICE, pointer,
                           "device not found: \"%.60s\"; GET /api/v1/devices lists the ids.", id);
    }
}

static void check_count(const json_t *ids, const struct lab_experiment *experiment, struct lab_errors *errors)
{
    char wanted[LAB_DEVICES_TEXT_SIZE];
    size_t given = json_array_size(ids);
    if (json_is_array(ids) && (given < experiment->devices_min || given > experiment->devices_max))
        lab_errors_add(errors, LAB_ERROR_DEVICE_COUNT, "/devices", "%s needs %s, not %zu.", experiment->name,
                       lab_experiment_devices_text(experiment, wanted), given);
}

static const char *id_at(const json_t *devices, size_t index)
{
    return json_string_value(json_object_get(json_array_get(devices, index), "id"));
}

/* Orders the devices by node; those of one node stay in the order of the request. */
static void order_by_node(json_t *list, const struct lab_devices *devices)
{
    json_t *given = json_copy(list);
    json_array_clear(list);
    for (size_t node = 0; node < lab_devices_node_count(devices); node++)
        for (size_t i = 0; i < json_array_size(given); i++)
            if (strcmp(node_at(given, i), lab_devices_node_name(devices, node)) == 0)
                json_array_append(list, json_array_get(given, i));
    json_decref(given);
}

/* Adds an error for the first device that cannot work together with devices of other machines. */
static void check_spanning(const json_t *list, struct lab_devices *devices, struct lab_errors *errors)
{
    struct lab_device_facts facts;
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!lab_devices_find(devices, id_at(list, i), &facts) || strcmp(facts.backend, "cuda") == 0)
            continue;
        lab_errors_add(errors, LAB_ERROR_SEVERAL_NODES, "/devices",
                       "The device %s is not a CUDA device. Devices of several machines are connected by NCCL; choose "
                       "CUDA devices, or devices of one machine.",
                       id_at(list, i));
        return;
    }
}

/* Adds an error for the first device that is not of the node `node`, or, if that is NULL, of the node of the first
 * device. */
static void check_node(const json_t *list, const char *node, struct lab_errors *errors)
{
    const char *wanted = node != NULL ? node : node_at(list, 0);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (strcmp(node_at(list, i), wanted) == 0)
            continue;
        lab_errors_add(errors, LAB_ERROR_SEVERAL_NODES, "/devices",
                       "The device %s is one of %s; all devices of this run must be of one machine, %s.",
                       id_at(list, i), node_at(list, i), wanted);
        return;
    }
}

json_t *lab_devices_choose(struct lab_devices *devices, const struct lab_experiment *experiment, const json_t *ids,
                           const char *node, struct lab_errors *errors)
{
    json_t *list = json_array();
    ptrdiff_t named = lab_devices_node_named(devices, node);
    if (node != NULL && named < 0) {
        lab_errors_add(errors, LAB_ERROR_UNKNOWN_NODE, "/node",
                       "node not found: \"%.64s\"; GET /api/v1/nodes lists the names.", node);
    } else if (ids != NULL) {
        add_requested(list, devices, ids, errors);
        if (experiment != NULL)
            check_count(ids, experiment, errors);
        if (experiment != NULL && experiment->spans_nodes && node == NULL && lab_run_spans_nodes(list)) {
            order_by_node(list, devices);
            check_spanning(list, devices, errors);
        } else {
            check_node(list, node, errors);
        }
    } else if (experiment != NULL) {
        take_available(list, devices, experiment,
                       named >= 0 ? (size_t)named : choose_node(devices, experiment->devices_min), errors);
    }
    return list;
}
