/* Helpers for the tests of the host runtime: starting the runtime, opening devices, and calls that must succeed. */
#ifndef LAB_HOST_HARNESS_H
#define LAB_HOST_HARNESS_H

#include "host/host.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>

static const struct lab_runtime *const runtime = &lab_host_runtime;

/* Starts the runtime and opens device 0. */
struct lab_device *open_with(size_t host_devices, const char *host_fault);
void close_and_stop(struct lab_device *device);

/* Setup and teardown: *state is the test's device. */
test_fixture open_one, close_one;

/* A test with a device. */
#define DEVICE_TEST(NAME)                                                                                              \
    TEST_WITH(NAME, __attribute__((unused)) struct lab_device *device, .setup = open_one, .teardown = close_one)

/* Fails the test with the device's error if `result` is false. */
void succeed(struct lab_device *device, bool result);
void *allocate(struct lab_device *device, enum lab_memory kind, size_t bytes);
struct lab_plan *prepare(struct lab_device *device, struct lab_operation operation);

/* Prepares and enqueues an operation and waits for it. */
void run_operation(struct lab_device *device, struct lab_stream *stream, struct lab_operation operation);
void fill(struct lab_device *device, struct lab_stream *stream, struct lab_region region, uint64_t seed);
uint64_t count_wrong(struct lab_device *device, struct lab_stream *stream, struct lab_region region, uint64_t seed);

#endif
