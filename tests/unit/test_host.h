/* Helpers for the tests of the host runtime: starting the runtime, opening devices, and calls that must succeed. */
#ifndef LAB_TEST_HOST_H
#define LAB_TEST_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/host.h"

#include <stdio.h>

static const struct lab_runtime *const runtime = &lab_host_runtime;

/* Starts the runtime and opens device 0. */
static inline struct lab_device *open_with(size_t host_devices, const char *host_fault)
{
    struct lab_error error = {0};
    if (!runtime->start(&(struct lab_runtime_options){.host_devices = host_devices, .host_fault = host_fault}, &error))
        fail_msg("start: %s", error.detail);
    struct lab_device *device = runtime->open(0, &error);
    if (device == NULL)
        fail_msg("open: %s", error.detail);
    return device;
}

static inline void close_and_stop(struct lab_device *device)
{
    runtime->close(device);
    runtime->stop();
}

/* Setup and teardown: *state is the test's device. */
static inline int open_one(void **state)
{
    *state = open_with(0, NULL);
    return 0;
}

static inline int close_one(void **state)
{
    close_and_stop(*state);
    return 0;
}

/* Fails the test with the device's error if `result` is false. */
static inline void succeed(struct lab_device *device, bool result)
{
    if (!result)
        fail_msg("%s: %s", lab_error_name(device->error.code), device->error.detail);
}

static inline void *allocate(struct lab_device *device, enum lab_memory kind, size_t bytes)
{
    void *address = NULL;
    succeed(device, runtime->allocate(device, kind, bytes, &address));
    assert_non_null(address);
    return address;
}

static inline struct lab_plan *prepare(struct lab_device *device, struct lab_operation operation)
{
    struct lab_plan *plan = runtime->prepare(device, &operation);
    succeed(device, plan != NULL);
    return plan;
}

/* Prepares and enqueues an operation and waits for it. */
static inline void run_operation(struct lab_device *device, struct lab_stream *stream, struct lab_operation operation)
{
    struct lab_plan *plan = prepare(device, operation);
    succeed(device, runtime->enqueue(device, plan, stream));
    succeed(device, runtime->stream_synchronize(device, stream));
    runtime->plan_free(device, plan);
}

static inline void fill(struct lab_device *device, struct lab_stream *stream, struct lab_region region, uint64_t seed)
{
    run_operation(device, stream, (struct lab_operation){LAB_OPERATION_FILL, .destination = region, .seed = seed});
}

static inline uint64_t count_wrong(struct lab_device *device, struct lab_stream *stream, struct lab_region region,
                                   uint64_t seed)
{
    uint64_t wrong = UINT64_MAX;
    run_operation(device, stream,
                  (struct lab_operation){LAB_OPERATION_CHECK, .destination = region, .seed = seed, .wrong = &wrong});
    return wrong;
}

#endif
