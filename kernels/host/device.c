/* Errors of a lost device, and waiting for a device. */
#include "device.h"

bool lab_host_alive(struct lab_device *device)
{
    return !device->lost ||
           lab_error_set(&device->error, LAB_ERROR_DEVICE_LOST, "", "the device is unusable after an earlier failure");
}

bool lab_host_mark_lost(struct lab_device *device, const char *what)
{
    device->lost = true;
    return lab_error_set(&device->error, LAB_ERROR_DEVICE_LOST, "", "%s; the device is lost", what);
}

void lab_host_drain(struct host_device *device)
{
    lab_host_lock(device);
    while (device->busy_streams > 0)
        lab_host_wait(device);
    lab_host_unlock(device);
}
