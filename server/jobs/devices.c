/* The table of devices, behind one lock. */
#include "devices.h"

#include "run_json.h"

#include "core/clock.h"
#include "core/json_members.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct lab_device_facts facts;
    size_t node;       /* that has the device */
    bool busy;         /* a run uses the device */
    bool reading;      /* its telemetry is being read, without the lock */
    char *reason;      /* why the device is unavailable; NULL: the device is available */
    bool suspect;      /* a program has left it with errors */
    json_t *telemetry; /* the latest; NULL: none yet */
};

struct lab_devices {
    pthread_mutex_t lock;
    pthread_cond_t read;    /* the telemetry of a device has been read */
    struct entry **entries; /* those of the first node, then those of the second, … */
    size_t count;
    uint64_t generation;
    size_t node_count;
    struct node {
        struct lab_devices_node node;
        json_t *machine, *commands; /* as described; NULL before the first description */
    } nodes[];
};

struct lab_devices *lab_devices_create(const struct lab_devices_node *nodes, size_t count)
{
    struct lab_devices *devices = calloc(1, sizeof *devices + count * sizeof *devices->nodes);
    if (devices == NULL)
        return NULL;
    devices->node_count = count;
    for (size_t i = 0; i < count; i++)
        devices->nodes[i].node = nodes[i];
    pthread_mutex_init(&devices->lock, NULL);
    lab_condition_init(&devices->read);
    return devices;
}

static void entry_free(struct entry *entry)
{
    json_decref(entry->telemetry);
    free(entry->reason);
    free(entry);
}

void lab_devices_free(struct lab_devices *devices)
{
    if (devices == NULL)
        return;
    for (size_t i = 0; i < devices->count; i++)
        entry_free(devices->entries[i]);
    free(devices->entries);
    for (size_t i = 0; i < devices->node_count; i++) {
        json_decref(devices->nodes[i].machine);
        json_decref(devices->nodes[i].commands);
    }
    pthread_cond_destroy(&devices->read);
    pthread_mutex_destroy(&devices->lock);
    free(devices);
}

/* NULL when no device has that id. The lock is held here and in all static functions below. */
static struct entry *find(const struct lab_devices *devices, const char *id)
{
    for (size_t i = 0; i < devices->count; i++)
        if (id != NULL && strcmp(devices->entries[i]->facts.id, id) == 0)
            return devices->entries[i];
    return NULL;
}

static void wait_until_read(struct lab_devices *devices, const struct entry *entry, double deadline)
{
    struct timespec moment = lab_clock_moment(deadline);
    while (entry->reading)
        if (pthread_cond_timedwait(&devices->read, &devices->lock, &moment) != 0)
            return;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

/* Moves the entries of the nodes from `first` to before `end` to `merged`, and sets them to NULL in devices->entries.
 * Returns their number. */
static size_t move(struct lab_devices *devices, size_t first, size_t end, struct entry **merged)
{
    size_t count = 0;
    for (size_t i = 0; i < devices->count; i++)
        if (devices->entries[i] != NULL && devices->entries[i]->node >= first && devices->entries[i]->node < end) {
            merged[count++] = devices->entries[i];
            devices->entries[i] = NULL;
        }
    return count;
}

/* Fills `merged` for the description of a node: existing entries with the new facts, new entries, and entries that are
 * not described but unavailable or being read. Sets the entries it takes from devices->entries to NULL there; the
 * caller frees the remaining ones of the node. Returns the number of entries. */
static size_t merge(struct lab_devices *devices, size_t node, struct entry **merged, const json_t *described)
{
    size_t count = 0, index;
    json_t *item;
    json_array_foreach(described, index, item)
    {
        struct entry *entry = NULL;
        const char *id = json_string_value(json_object_get(item, "id"));
        for (size_t i = 0; i < devices->count && id != NULL; i++)
            if (devices->entries[i] != NULL && strcmp(devices->entries[i]->facts.id, id) == 0) {
                entry = devices->entries[i];
                devices->entries[i] = NULL;
            }
        if (entry == NULL)
            entry = calloc(1, sizeof *entry);
        if (entry == NULL)
            continue;
        entry->node = node;
        lab_facts_from_json(item, &entry->facts);
        merged[count++] = entry;
    }
    for (size_t i = 0; i < devices->count; i++)
        if (devices->entries[i] != NULL && devices->entries[i]->node == node &&
            (devices->entries[i]->reason != NULL || devices->entries[i]->reading)) {
            merged[count++] = devices->entries[i];
            devices->entries[i] = NULL;
        }
    return count;
}

static bool is_description(const json_t *described)
{
    struct lab_device_facts *facts = malloc(sizeof *facts);
    bool right = facts != NULL && json_is_array(described);
    size_t index;
    json_t *item;
    json_array_foreach(described, index, item) right = right && lab_facts_from_json(item, facts);
    free(facts);
    return right;
}

/* The entry of another node that the description has too; NULL: none. */
static const struct entry *find_elsewhere(const struct lab_devices *devices, size_t node, const json_t *described)
{
    size_t index;
    json_t *item;
    json_array_foreach(described, index, item)
    {
        const struct entry *entry = find(devices, json_string_value(json_object_get(item, "id")));
        if (entry != NULL && entry->node != node)
            return entry;
    }
    return NULL;
}

/* Replaces the entries of the node. False when out of memory. */
static bool replace(struct lab_devices *devices, size_t node, const json_t *described)
{
    struct entry **merged = calloc(json_array_size(described) + devices->count + 1, sizeof(struct entry *));
    if (merged == NULL)
        return false;
    size_t count = move(devices, 0, node, merged);
    count += merge(devices, node, merged + count, described);
    count += move(devices, node + 1, devices->node_count, merged + count);
    for (size_t i = 0; i < devices->count; i++)
        if (devices->entries[i] != NULL)
            entry_free(devices->entries[i]);
    free(devices->entries);
    devices->entries = merged;
    devices->count = count;
    return true;
}

bool lab_devices_update(struct lab_devices *devices, size_t node, const json_t *description, struct lab_error *error)
{
    const json_t *described = json_object_get(description, "devices");
    if (!is_description(described))
        return lab_error_set(error, LAB_ERROR_WORKER_PROTOCOL, "",
                             "The worker sent a description of its devices that cannot be read.");
    pthread_mutex_lock(&devices->lock);
    const struct entry *elsewhere = find_elsewhere(devices, node, described);
    bool updated = elsewhere == NULL && replace(devices, node, described);
    if (elsewhere != NULL) {
        lab_error_set(error, LAB_ERROR_SAME_MACHINE, "",
                      "Its device %s is listed by the node %s already: both names lead to the same machine.",
                      elsewhere->facts.id, devices->nodes[elsewhere->node].node.name);
    } else if (updated) {
        json_decref(devices->nodes[node].machine);
        json_decref(devices->nodes[node].commands);
        devices->nodes[node].machine = json_deep_copy(json_object_get(description, "machine"));
        devices->nodes[node].commands = json_deep_copy(json_object_get(description, "programs"));
        devices->generation++;
    } else {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "No memory for the devices.");
    }
    pthread_mutex_unlock(&devices->lock);
    return updated;
}

/* --- workers that open a part of the devices ---------------------------------------------------------------------- */

/* The facts in a list that have that id; NULL: none. */
static json_t *facts_with(const json_t *list, const char *id)
{
    size_t index;
    json_t *facts;
    json_array_foreach(list, index, facts)
    {
        const char *candidate = json_string_value(json_object_get(facts, "id"));
        if (candidate != NULL && strcmp(candidate, id) == 0)
            return facts;
    }
    return NULL;
}

static bool lists(const json_t *ids, const char *id)
{
    for (size_t i = 0; i < json_array_size(ids); i++) {
        const char *listed = json_string_value(json_array_get(ids, i));
        if (listed != NULL && strcmp(listed, id) == 0)
            return true;
    }
    return false;
}

json_t *lab_devices_part(struct lab_devices *devices, size_t node, const json_t *ids)
{
    json_t *part = json_array(), *item;
    size_t on_node = 0, index;
    pthread_mutex_lock(&devices->lock);
    bool separable = true;
    json_array_foreach(ids, index, item)
    {
        const struct entry *entry = find(devices, json_string_value(item));
        separable = separable && entry != NULL && !lab_facts_is_cpu(&entry->facts);
    }
    for (size_t i = 0; i < devices->count; i++) {
        const struct entry *entry = devices->entries[i];
        on_node += entry->node == node;
        if (entry->node == node && lists(ids, entry->facts.id))
            json_array_append_new(part, json_string(entry->facts.id));
    }
    pthread_mutex_unlock(&devices->lock);
    if (separable && json_array_size(part) > 0 && json_array_size(part) < on_node)
        return part;
    json_decref(part);
    return NULL;
}

/* Sets the number and the peers of a device to those of its entry. */
static void place(const struct entry *entry, json_t *facts)
{
    json_t *known = lab_facts_to_json(&entry->facts);
    json_object_set(facts, "ordinal", json_object_get(known, "ordinal"));
    json_object_set(facts, "peers", json_object_get(known, "peers"));
    json_decref(known);
}

void lab_devices_place(struct lab_devices *devices, json_t *described)
{
    size_t index;
    json_t *facts;
    pthread_mutex_lock(&devices->lock);
    json_array_foreach(described, index, facts)
    {
        const struct entry *entry = find(devices, json_string_value(json_object_get(facts, "id")));
        if (entry != NULL)
            place(entry, facts);
    }
    pthread_mutex_unlock(&devices->lock);
}

void lab_devices_complete(struct lab_devices *devices, size_t node, json_t *description)
{
    json_t *all = json_array();
    lab_devices_place(devices, json_object_get(description, "devices"));
    pthread_mutex_lock(&devices->lock);
    for (size_t i = 0; i < devices->count; i++) {
        const struct entry *entry = devices->entries[i];
        json_t *described = facts_with(json_object_get(description, "devices"), entry->facts.id);
        if (entry->node == node)
            json_array_append_new(all, described != NULL ? json_incref(described) : lab_facts_to_json(&entry->facts));
    }
    pthread_mutex_unlock(&devices->lock);
    json_object_set_new(description, "devices", all);
}

/* --- reading the table -------------------------------------------------------------------------------------------- */

bool lab_devices_find(struct lab_devices *devices, const char *id, struct lab_device_facts *facts)
{
    pthread_mutex_lock(&devices->lock);
    const struct entry *entry = find(devices, id);
    if (entry != NULL && facts != NULL)
        *facts = entry->facts;
    pthread_mutex_unlock(&devices->lock);
    return entry != NULL;
}

bool lab_devices_known(struct lab_devices *devices)
{
    pthread_mutex_lock(&devices->lock);
    bool known = devices->count > 0;
    pthread_mutex_unlock(&devices->lock);
    return known;
}

size_t lab_devices_node_count(const struct lab_devices *devices)
{
    return devices->node_count;
}

const char *lab_devices_node_name(const struct lab_devices *devices, size_t node)
{
    return devices->nodes[node].node.name;
}

ptrdiff_t lab_devices_node_named(const struct lab_devices *devices, const char *name)
{
    for (size_t i = 0; i < devices->node_count; i++)
        if (name != NULL && strcmp(devices->nodes[i].node.name, name) == 0)
            return (ptrdiff_t)i;
    return -1;
}

ptrdiff_t lab_devices_node_of(struct lab_devices *devices, const char *id)
{
    pthread_mutex_lock(&devices->lock);
    const struct entry *entry = find(devices, id);
    ptrdiff_t node = entry != NULL ? (ptrdiff_t)entry->node : -1;
    pthread_mutex_unlock(&devices->lock);
    return node;
}

bool lab_devices_available(struct lab_devices *devices, size_t node, size_t index, char id[LAB_ID_MAX])
{
    bool found = false;
    pthread_mutex_lock(&devices->lock);
    for (size_t i = 0; i < devices->count && !found; i++)
        if (devices->entries[i]->node == node && devices->entries[i]->reason == NULL && index-- == 0) {
            memcpy(id, devices->entries[i]->facts.id, LAB_ID_MAX);
            found = true;
        }
    pthread_mutex_unlock(&devices->lock);
    return found;
}

uint64_t lab_devices_generation(struct lab_devices *devices)
{
    pthread_mutex_lock(&devices->lock);
    uint64_t generation = devices->generation;
    pthread_mutex_unlock(&devices->lock);
    return generation;
}

/* The latest telemetry. It is stale while the device is busy, because it is not read then. */
static json_t *telemetry_json(const struct entry *entry)
{
    if (entry->telemetry == NULL)
        return json_null();
    json_t *telemetry = json_copy(entry->telemetry);
    json_object_set_new(telemetry, "stale", json_boolean(entry->busy));
    return telemetry;
}

static json_t *machine_json(const struct lab_devices *devices, size_t node)
{
    return devices->nodes[node].machine != NULL ? json_deep_copy(devices->nodes[node].machine) : json_null();
}

json_t *lab_devices_json(struct lab_devices *devices)
{
    json_t *list = json_array();
    pthread_mutex_lock(&devices->lock);
    for (size_t i = 0; i < devices->count; i++) {
        const struct entry *entry = devices->entries[i];
        const char *state = entry->reason != NULL ? "unavailable" : entry->busy ? "busy" : "available";
        json_t *device = lab_facts_to_json(&entry->facts);
        json_object_set_new(device, "node", json_string(devices->nodes[entry->node].node.name));
        json_object_set_new(device, "state", json_string(state));
        json_object_set_new(device, "state_reason", lab_json_text_or_null(entry->reason));
        json_object_set_new(device, "telemetry", telemetry_json(entry));
        json_array_append_new(list, device);
    }
    json_t *machine = machine_json(devices, 0);
    pthread_mutex_unlock(&devices->lock);
    return json_pack("{s:o, s:o}", "devices", list, "machine", machine);
}

json_t *lab_devices_node_json(struct lab_devices *devices, size_t node)
{
    json_t *ids = json_array();
    pthread_mutex_lock(&devices->lock);
    for (size_t i = 0; i < devices->count; i++)
        if (devices->entries[i]->node == node)
            json_array_append_new(ids, json_string(devices->entries[i]->facts.id));
    json_t *machine = machine_json(devices, node);
    pthread_mutex_unlock(&devices->lock);
    return json_pack("{s:o, s:o}", "machine", machine, "devices", ids);
}

json_t *lab_devices_node_commands(struct lab_devices *devices, size_t node)
{
    pthread_mutex_lock(&devices->lock);
    json_t *commands = json_deep_copy(devices->nodes[node].commands);
    pthread_mutex_unlock(&devices->lock);
    return commands != NULL
               ? commands
               : json_pack("{s:[], s:s}", "commands", "reason", "No worker of this machine has answered yet.");
}

/* --- states ------------------------------------------------------------------------------------------------------- */

static void set_busy(struct lab_devices *devices, const json_t *ids, bool busy, double wait_s)
{
    size_t index;
    json_t *id;
    double deadline = lab_clock_now() + wait_s;
    pthread_mutex_lock(&devices->lock);
    json_array_foreach(ids, index, id)
    {
        struct entry *entry = find(devices, json_string_value(id));
        if (entry == NULL)
            continue;
        entry->busy = busy;
        devices->generation++;
        wait_until_read(devices, entry, deadline);
    }
    pthread_mutex_unlock(&devices->lock);
}

void lab_devices_set_busy(struct lab_devices *devices, const json_t *ids, double wait_s)
{
    set_busy(devices, ids, true, wait_s);
}

void lab_devices_set_idle(struct lab_devices *devices, const json_t *ids)
{
    set_busy(devices, ids, false, 0); /* a busy device is not being read, so there is nothing to wait for */
}

void lab_devices_set_unavailable(struct lab_devices *devices, const json_t *ids, const char *reason)
{
    size_t index;
    json_t *id;
    pthread_mutex_lock(&devices->lock);
    json_array_foreach(ids, index, id)
    {
        struct entry *entry = find(devices, json_string_value(id));
        if (entry == NULL)
            continue;
        free(entry->reason);
        entry->reason = reason != NULL ? strdup(reason) : NULL;
        devices->generation++;
    }
    pthread_mutex_unlock(&devices->lock);
}

void lab_devices_set_suspect(struct lab_devices *devices, const json_t *ids, bool suspect)
{
    size_t index;
    json_t *id;
    pthread_mutex_lock(&devices->lock);
    json_array_foreach(ids, index, id)
    {
        struct entry *entry = find(devices, json_string_value(id));
        if (entry != NULL)
            entry->suspect = suspect;
    }
    pthread_mutex_unlock(&devices->lock);
}

json_t *lab_devices_suspects(struct lab_devices *devices, const json_t *ids)
{
    json_t *found = json_array(), *id;
    size_t index;
    pthread_mutex_lock(&devices->lock);
    json_array_foreach(ids, index, id)
    {
        const struct entry *entry = find(devices, json_string_value(id));
        if (entry != NULL && entry->suspect)
            json_array_append(found, id);
    }
    pthread_mutex_unlock(&devices->lock);
    return found;
}

bool lab_devices_is_unavailable(struct lab_devices *devices, const char *id, char *reason, size_t size)
{
    pthread_mutex_lock(&devices->lock);
    const struct entry *entry = find(devices, id);
    bool unavailable = entry == NULL || entry->reason != NULL;
    const char *why = entry == NULL ? "it was not found when a worker last listed the devices" : entry->reason;
    if (unavailable && size > 0) {
        strncpy(reason, why, size - 1);
        reason[size - 1] = '\0';
    }
    pthread_mutex_unlock(&devices->lock);
    return unavailable;
}

json_t *lab_devices_read_telemetry(struct lab_devices *devices, json_t *(*read)(void *context, const char *uuid),
                                   void *context)
{
    json_t *list = json_array();
    pthread_mutex_lock(&devices->lock);
    for (size_t i = 0; i < devices->count; i++) {
        struct entry *entry = devices->entries[i];
        if (entry->busy || entry->facts.uuid[0] == '\0' || !devices->nodes[entry->node].node.local)
            continue;
        entry->reading = true; /* this also keeps the entry in the table while the lock is not held */
        char uuid[LAB_ID_MAX];
        memcpy(uuid, entry->facts.uuid, sizeof uuid);
        pthread_mutex_unlock(&devices->lock);
        json_t *telemetry = read(context, uuid);
        pthread_mutex_lock(&devices->lock);
        entry->reading = false;
        pthread_cond_broadcast(&devices->read);
        if (telemetry == NULL)
            continue;
        json_object_set_new(telemetry, "at", lab_json_time_or_null(lab_time_now()));
        json_array_append_new(list, json_pack("{s:s, s:O}", "id", entry->facts.id, "telemetry", telemetry));
        json_decref(entry->telemetry);
        entry->telemetry = telemetry;
        devices->generation++;
    }
    pthread_mutex_unlock(&devices->lock);
    return list;
}
