#include "support/three_devices.h"

struct lab_device *devices[DEVICES];
atomic_bool cancel;
struct lab_runtime changed;

int open_devices(void **state)
{
    (void)state;
    struct lab_error error;
    changed = lab_host_runtime;
    if (!lab_host_runtime.start(&(struct lab_runtime_options){.host_devices = DEVICES}, &error))
        return -1;
    for (size_t i = 0; i < DEVICES; i++)
        if ((devices[i] = lab_host_runtime.open(i, &error)) == NULL)
            return -1;
    return 0;
}

int close_devices(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICES; i++)
        lab_host_runtime.close(devices[i]);
    lab_host_runtime.stop();
    return 0;
}

void use_runtime(const struct lab_runtime *runtime)
{
    for (size_t i = 0; i < DEVICES; i++)
        devices[i]->runtime = runtime;
}

struct lab_run run_of(const struct lab_parameters *parameters)
{
    struct lab_run run = {.experiment = parameters->experiment,
                          .parameters = parameters,
                          .device_count = DEVICES,
                          .cancel = &cancel,
                          .numa_node = LAB_UNKNOWN};
    memcpy(run.devices, devices, sizeof devices);
    return run;
}
