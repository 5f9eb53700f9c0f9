/* Three devices of the host runtime, of which a run uses some or all, and a copy of that runtime in which a test
 * replaces functions. */
#ifndef LAB_THREE_DEVICES_H
#define LAB_THREE_DEVICES_H

#include "host/host.h"
#include "measure/run.h"
#include "support/test.h"

#include <string.h>

enum { DEVICES = 3 };

extern struct lab_device *devices[DEVICES];
extern atomic_bool cancel;

/* What open_devices makes a copy of the host runtime; the devices have it after use_runtime(&changed). */
extern struct lab_runtime changed;

test_fixture open_devices, close_devices;

void use_runtime(const struct lab_runtime *runtime);

/* A run of an experiment on all devices. */
struct lab_run run_of(const struct lab_parameters *parameters);

#endif
