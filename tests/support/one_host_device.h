/* The host runtime with one device, which a test opens by itself. */
#ifndef LAB_ONE_HOST_DEVICE_H
#define LAB_ONE_HOST_DEVICE_H

#include "host/host.h"
#include "support/test.h"

test_fixture start_runtime, stop_runtime;

#endif
