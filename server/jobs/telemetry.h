/* Telemetry: current values of the devices, read from NVML by a thread of its own. It reads only on demand: for some
 * seconds after a request, and as long as the event stream has subscribers. It never reads a device on which a run
 * measures, because that would disturb the measurement.
 */
#ifndef LAB_TELEMETRY_H
#define LAB_TELEMETRY_H

#include "../events.h"
#include "devices.h"

struct lab_telemetry;

/* Starts the thread. NULL when NVML is not installed, memory runs out or no thread can be created; the lab then works
 * without telemetry. */
struct lab_telemetry *lab_telemetry_start(struct lab_devices *devices, struct lab_events *events);
/* Ends the thread and returns when it has ended, which takes as long as a call of the driver. NULL is allowed and does
 * nothing. */
void lab_telemetry_stop(struct lab_telemetry *telemetry);

/* Requests telemetry and returns at once; to be called when the event stream gets a subscriber. NULL is allowed. */
void lab_telemetry_wake(struct lab_telemetry *telemetry);
/* Requests telemetry. If the latest is old, waits for new values, at most 0.2 s. NULL is allowed and does nothing. */
void lab_telemetry_request(struct lab_telemetry *telemetry);

#endif
