/* The table of the devices of all nodes: facts from the descriptions of the nodes' workers, the state of each device,
 * and the latest telemetry of those of this machine. Nodes are named by their index. All functions may be called from
 * any thread, and none of them waits for a run.
 */
#ifndef LAB_DEVICES_H
#define LAB_DEVICES_H

#include "core/errors.h"
#include "facts/facts.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_devices;

/* A machine with devices, or with none before its worker has described them. */
struct lab_devices_node {
    const char *name;
    bool local; /* this machine: NVML reads its devices' telemetry */
};

/* A table for `count` nodes, whose names must outlive it. NULL when out of memory. */
struct lab_devices *lab_devices_create(const struct lab_devices_node *nodes, size_t count);
/* NULL is allowed and does nothing. */
void lab_devices_free(struct lab_devices *devices);

/* Replaces devices, machine and commands of a node by those of a description
 * ({"devices":[facts…],"machine":{…},"programs":{…}}); a device that was there before keeps its state and telemetry.
 * One that is missing in the description is removed, unless it is unavailable. False with *error, without a change,
 * when the description is malformed, when it has a device of another node (both lead to the same machine then), or when
 * memory runs out. */
bool lab_devices_update(struct lab_devices *devices, size_t node, const json_t *description, struct lab_error *error);

/* Those of `ids` that are on the node, in the order of the table, a new reference: a worker that opens no others starts
 * sooner, because CUDA's driver takes time for each device that it shows. NULL where the worker is to open all: for all
 * devices of the node, for a CPU, for a device that is not in the table, and without `ids`. */
json_t *lab_devices_part(struct lab_devices *devices, size_t node, const json_t *ids);

/* Sets the numbers and peers in a list of facts to those in the table. A worker that opens a part of the devices counts
 * only these, and does not know how they reach the others. */
void lab_devices_place(struct lab_devices *devices, json_t *described);
/* Completes the description by a worker that has opened a part of the node's devices by what the table has, for
 * lab_devices_update. */
void lab_devices_complete(struct lab_devices *devices, size_t node, json_t *description);

/* The devices as in GET /api/v1/devices, see lab_jobs_devices. A new reference. */
json_t *lab_devices_json(struct lab_devices *devices);
/* What a node's worker has said of its machine, and the ids of its devices: {"machine":{…} or null,"devices":[id…]}. A
 * new reference. */
json_t *lab_devices_node_json(struct lab_devices *devices, size_t node);

/* The commands that the node's worker has said its machine offers, as in GET /api/v1/nodes/{name}/commands; those of
 * the last start of a worker. A new reference. */
json_t *lab_devices_node_commands(struct lab_devices *devices, size_t node);

/* Facts of one device; false when no device has that id. `facts` may be NULL. */
bool lab_devices_find(struct lab_devices *devices, const char *id, struct lab_device_facts *facts);
/* Whether there is any device; before the first description there is none. */
bool lab_devices_known(struct lab_devices *devices);
/* The nodes; the index of the one with that name, or -1; the index of the node that has the device, or -1. */
size_t lab_devices_node_count(const struct lab_devices *devices);
const char *lab_devices_node_name(const struct lab_devices *devices, size_t node);
ptrdiff_t lab_devices_node_named(const struct lab_devices *devices, const char *name);
ptrdiff_t lab_devices_node_of(struct lab_devices *devices, const char *id);
/* Copies the id of the device with this index, from 0, among those of the node that are not unavailable. False when
 * there is none. */
bool lab_devices_available(struct lab_devices *devices, size_t node, size_t index, char id[LAB_ID_MAX]);
/* Whether runs on the device cannot start. If so, copies the reason, at most `size` bytes with the NUL. */
bool lab_devices_is_unavailable(struct lab_devices *devices, const char *id, char *reason, size_t size);

/* Marks the devices (a JSON array of ids) as busy, which keeps telemetry from reading them. If telemetry is reading one
 * at the moment, waits until it has finished, at most `wait_s` for all, so that it does not disturb the measurement. */
void lab_devices_set_busy(struct lab_devices *devices, const json_t *ids, double wait_s);
/* Marks the devices as not busy. */
void lab_devices_set_idle(struct lab_devices *devices, const json_t *ids);
/* Marks the devices as unavailable for `reason`; NULL: as available again. */
void lab_devices_set_unavailable(struct lab_devices *devices, const json_t *ids, const char *reason);

/* Notes whether a program has left the devices with errors. */
void lab_devices_set_suspect(struct lab_devices *devices, const json_t *ids, bool suspect);
/* The ids among `ids` of which that is noted, a new reference. */
json_t *lab_devices_suspects(struct lab_devices *devices, const json_t *ids);

/* Reads the telemetry of each device of this machine that is not busy and has a UUID, by calling `read` while no lock
 * is held; `read` returns a new reference, or NULL when it fails. Returns an array of {id, telemetry} for the devices
 * that were read, a new reference. */
json_t *lab_devices_read_telemetry(struct lab_devices *devices, json_t *(*read)(void *context, const char *uuid),
                                   void *context);

/* A number that increases with every change of the table. */
uint64_t lab_devices_generation(struct lab_devices *devices);

#endif
