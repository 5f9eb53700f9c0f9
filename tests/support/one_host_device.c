#include "support/one_host_device.h"

int start_runtime(void **state)
{
    struct lab_error error;
    (void)state;
    return lab_host_runtime.start(&(struct lab_runtime_options){.host_devices = 1}, &error) ? 0 : -1;
}

int stop_runtime(void **state)
{
    (void)state;
    lab_host_runtime.stop();
    return 0;
}
