/* Live figures of the devices, read from NVML by a thread of its own and only while somebody looks: from when they were
 * asked for, for a while and as long as anyone follows the event stream. Never of a device that a run measures on.
 */
#ifndef LAB_TELEMETRY_H
#define LAB_TELEMETRY_H

#include "../events.h"
#include "devices.h"

struct lab_telemetry;

/* NULL where there is no NVML (or no memory): then there is no telemetry. */
struct lab_telemetry *lab_telemetry_start(struct lab_devices *devices, struct lab_events *events);
/* False when the thread hangs in the driver; what it was given must then outlive it. NULL is nothing. */
bool lab_telemetry_stop(struct lab_telemetry *telemetry);

/* Somebody looks. When the figures are old, waits for new ones, at most a fifth of a second. NULL is nothing. */
void lab_telemetry_ask(struct lab_telemetry *telemetry);

#endif
