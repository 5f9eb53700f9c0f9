/* The devices of this machine as the lab last heard of them: facts from a worker's description, what each is doing, and
 * the latest telemetry. All functions may be called from any thread; none waits for a run.
 */
#ifndef LAB_DEVICES_H
#define LAB_DEVICES_H

#include "facts/facts.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_devices;

struct lab_devices *lab_devices_create(void);
void lab_devices_free(struct lab_devices *devices);

/* Takes over the devices of a description ({"devices":[facts…]}). A device that is no longer described is forgotten,
 * unless a stuck worker holds it. False when it is no such description; nothing has changed then. */
bool lab_devices_update(struct lab_devices *devices, const json_t *description);

/* {"devices":[…]} of API.md: facts, "state" ("available", "busy", "unavailable"), "state_reason" (text or null) and
 * "telemetry" (null, or with "at" and "stale" beside NVML's figures). A new reference. */
json_t *lab_devices_json(struct lab_devices *devices);

/* Facts of one device; false when there is none of that id. `facts` may be NULL. */
bool lab_devices_find(struct lab_devices *devices, const char *id, struct lab_device_facts *facts);
/* The `index`-th id of those that are not unavailable; false beyond the last. */
bool lab_devices_available(struct lab_devices *devices, size_t index, char id[LAB_ID_MAX]);
/* Why runs on the device cannot start; false when they can. */
bool lab_devices_unavailable(struct lab_devices *devices, const char *id, char *reason, size_t size);

/* Marks the devices (a JSON array of ids) as busy or free. A device becomes busy only after a look at its telemetry
 * under way has ended, so that none disturbs a measurement; waits at most a second for that. */
void lab_devices_occupy(struct lab_devices *devices, const json_t *ids, bool busy);
/* Marks them as unavailable for `reason`, or, with NULL, as usable again. */
void lab_devices_condemn(struct lab_devices *devices, const json_t *ids, const char *reason);

/* Looks at each device that is not busy: `look` makes its telemetry from its uuid (a new reference or NULL) with no
 * lock held. Returns an array of {id, telemetry} of those that were looked at; a new reference. */
json_t *lab_devices_observe(struct lab_devices *devices, json_t *(*look)(void *context, const char *uuid),
                            void *context);

/* Grows with every change. */
uint64_t lab_devices_generation(struct lab_devices *devices);

#endif
