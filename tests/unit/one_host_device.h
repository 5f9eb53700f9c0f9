/* Group setup and teardown: the host runtime with one device. */
#ifndef ONE_HOST_DEVICE_H
#define ONE_HOST_DEVICE_H

#include "host/host.h"

static int start_runtime(void **state)
{
    struct lab_error error;
    (void)state;
    return lab_host_runtime.start(&(struct lab_runtime_options){.host_devices = 1}, &error) ? 0 : -1;
}

static int stop_runtime(void **state)
{
    (void)state;
    lab_host_runtime.stop();
    return 0;
}

#endif
