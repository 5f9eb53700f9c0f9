/* Shared by the tests of scaling: three devices of the host runtime, and a copy of that runtime in which a test
 * replaces functions.
 */
#ifndef LAB_TEST_SCALING_HARNESS_H
#define LAB_TEST_SCALING_HARNESS_H

#include "host/host.h"
#include "measure/run.h"

#include <string.h>

enum { DEVICES = 3 };

static struct lab_device *devices[DEVICES];
static atomic_bool cancel;

/* Copy of the host runtime, in which a test replaces functions. */
static struct lab_runtime changed;

static inline void use_runtime(const struct lab_runtime *runtime)
{
    for (size_t i = 0; i < DEVICES; i++)
        devices[i]->runtime = runtime;
}

static inline struct lab_run run_of(const struct lab_parameters *parameters)
{
    struct lab_run run = {.experiment = parameters->experiment,
                          .parameters = parameters,
                          .device_count = DEVICES,
                          .cancel = &cancel,
                          .numa_node = LAB_UNKNOWN};
    memcpy(run.devices, devices, sizeof devices);
    return run;
}

static inline int open_devices(void **state)
{
    (void)state;
    struct lab_error error;
    if (!lab_host_runtime.start(&(struct lab_runtime_options){.host_devices = DEVICES}, &error))
        return -1;
    for (size_t i = 0; i < DEVICES; i++)
        if ((devices[i] = lab_host_runtime.open(i, &error)) == NULL)
            return -1;
    return 0;
}

static inline int close_devices(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICES; i++)
        lab_host_runtime.close(devices[i]);
    lab_host_runtime.stop();
    return 0;
}

#endif
