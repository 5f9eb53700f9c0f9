/* Injected faults of the host runtime. A hang and a crash are tested in a child process. */
#include "support/host_harness.h"
#include "support/test.h"

#include "host/fault.h"

#include "core/clock.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 100003 };

TEST(test_malformed_values)
{
    static const char *const values[] = {"copies",
                                         "copy@",
                                         "copy@0",
                                         "copy@-1",
                                         "copy@ 1",
                                         "copy@1x",
                                         "copy@1@2",
                                         "@1",
                                         "Copy@1",
                                         "hang @1",
                                         "copy@99999999999999999999999",
                                         "copy,launch"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct lab_error error = {0};
        assert_false(runtime->start(&(struct lab_runtime_options){.host_fault = values[i]}, &error));
        assert_int_equal(error.code, LAB_ERROR_INVALID_VALUE);
        assert_non_null(strstr(error.detail, values[i]));
        assert_non_null(strstr(error.detail, "wrong-result"));
    }
    struct lab_error error = {0};
    assert_true(runtime->start(&(struct lab_runtime_options){.host_fault = ""}, &error));
    runtime->stop();
}

TEST(test_allocation)
{
    struct lab_device *device = open_with(0, "allocation@2");
    void *first = allocate(device, LAB_MEMORY_DEVICE, BYTES), *second = NULL;
    assert_false(runtime->allocate(device, LAB_MEMORY_PINNED, BYTES, &second));
    assert_int_equal(device->error.code, LAB_ERROR_INSUFFICIENT_MEMORY);
    assert_non_null(strstr(device->error.detail, "100003 bytes"));
    assert_false(device->lost);
    second = allocate(device, LAB_MEMORY_PINNED, BYTES);
    runtime->free(device, LAB_MEMORY_DEVICE, first);
    runtime->free(device, LAB_MEMORY_PINNED, second);
    close_and_stop(device);
}

/* On a lost device every call fails except releases. */
static void assert_lost(struct lab_device *device, struct lab_stream *stream, void *memory, void *host)
{
    void *more = NULL;
    size_t free_bytes, total_bytes;
    assert_true(device->lost);
    assert_int_equal(device->error.code, LAB_ERROR_DEVICE_LOST);
    assert_false(runtime->copy(device, stream, memory, host, BYTES, LAB_H2D));
    assert_false(runtime->stream_synchronize(device, stream));
    assert_false(runtime->allocate(device, LAB_MEMORY_DEVICE, BYTES, &more));
    assert_false(runtime->memory_info(device, &free_bytes, &total_bytes));
    assert_null(runtime->stream_create(device));
    assert_null(runtime->event_create(device));
    assert_null(runtime->latch_create(device));
    assert_int_equal(device->error.code, LAB_ERROR_DEVICE_LOST);
}

TEST(test_copy)
{
    struct lab_device *device = open_with(0, "copy@3");
    struct lab_stream *stream = runtime->stream_create(device);
    void *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES), *host = allocate(device, LAB_MEMORY_PINNED, BYTES);
    memset(host, 1, BYTES);
    succeed(device, runtime->copy(device, stream, memory, host, BYTES, LAB_H2D));
    succeed(device, runtime->copy(device, stream, host, memory, BYTES, LAB_D2H));
    assert_false(runtime->copy(device, stream, memory, host, BYTES, LAB_H2D));
    assert_lost(device, stream, memory, host);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PINNED, host);
    close_and_stop(device);
}

TEST(test_launch)
{
    struct lab_device *device = open_with(0, "launch@2");
    struct lab_stream *stream = runtime->stream_create(device);
    void *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES), *host = allocate(device, LAB_MEMORY_PINNED, BYTES);
    memset(host, 1, BYTES);
    struct lab_plan *plan = prepare(
        device,
        (struct lab_operation){.kind = LAB_OPERATION_FILL, .destination = lab_region_of(memory, BYTES), .seed = 1});
    succeed(device, runtime->copy(device, stream, memory, host, BYTES, LAB_H2D));
    succeed(device, runtime->enqueue(device, plan, stream));
    assert_false(runtime->enqueue(device, plan, stream));
    assert_lost(device, stream, memory, host);
    assert_false(runtime->enqueue(device, plan, stream));
    runtime->plan_free(device, plan);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PINNED, host);
    close_and_stop(device);
}

/* The byte stays bad, so that a later repetition of the copy is wrong too. */
TEST(test_wrong_result_of_a_copy)
{
    struct lab_device *device = open_with(0, "wrong-result@2");
    struct lab_stream *stream = runtime->stream_create(device);
    void *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES), *host = allocate(device, LAB_MEMORY_PINNED, BYTES);
    struct lab_region region = lab_region_of(memory, BYTES);
    fill(device, stream, lab_region_of(host, BYTES), 6);
    assert_int_equal(count_wrong(device, stream, lab_region_of(host, BYTES), 6), 0);
    for (int repetition = 0; repetition < 3; repetition++) {
        succeed(device, runtime->copy(device, stream, memory, host, BYTES, LAB_H2D));
        assert_int_equal(count_wrong(device, stream, region, 6), 1);
    }
    fill(device, stream, region, 5);
    assert_int_equal(count_wrong(device, stream, region, 5), 1);
    fill(device, stream, lab_region_of(memory, 1000), 5); /* without the bad byte */
    assert_int_equal(count_wrong(device, stream, lab_region_of(memory, 1000), 5), 0);
    assert_false(device->lost);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PINNED, host);
    close_and_stop(device);
}

/* Releasing memory removes its bad byte, even if the next allocation gets the same address. */
TEST(test_bad_byte_ends_with_its_memory)
{
    struct lab_device *device = open_with(0, "wrong-result");
    struct lab_stream *stream = runtime->stream_create(device);
    for (int i = 0; i < 4; i++) {
        void *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
        fill(device, stream, lab_region_of(memory, BYTES), 8);
        assert_int_equal(count_wrong(device, stream, lab_region_of(memory, BYTES), 8), i == 0 ? 1 : 0);
        runtime->free(device, LAB_MEMORY_DEVICE, memory);
    }
    runtime->stream_free(device, stream);
    close_and_stop(device);
}

TEST(test_wrong_result_of_operations)
{
    static const size_t shapes[][3] = {{1, 1, 1}, {BYTES, 1, BYTES}, {101, 37, 128}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct lab_device *device = open_with(0, "wrong-result");
        struct lab_stream *stream = runtime->stream_create(device);
        void *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
        struct lab_region region = {memory, shapes[i][0], shapes[i][1], shapes[i][2]};
        fill(device, stream, region, 8);
        assert_int_equal(count_wrong(device, stream, region, 8), 1);
        runtime->stream_free(device, stream);
        runtime->free(device, LAB_MEMORY_DEVICE, memory);
        close_and_stop(device);
    }
}

/* Runs one copy, waits for it and exits. */
static _Noreturn void copy_once_in_child(const char *fault)
{
    struct lab_error error = {0};
    void *memory = NULL, *host = NULL;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would end the process differently */
    signal(SIGTERM, SIG_DFL);
    if (!runtime->start(&(struct lab_runtime_options){.host_fault = fault}, &error))
        _exit(2);
    struct lab_device *device = runtime->open(0, &error);
    struct lab_stream *stream = device != NULL ? runtime->stream_create(device) : NULL;
    if (stream == NULL || !runtime->allocate(device, LAB_MEMORY_DEVICE, BYTES, &memory) ||
        !runtime->allocate(device, LAB_MEMORY_PAGEABLE, BYTES, &host))
        _exit(2);
    runtime->copy(device, stream, memory, host, BYTES, LAB_H2D);
    runtime->stream_synchronize(device, stream);
    _exit(0);
}

static pid_t start_child(const char *fault)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        copy_once_in_child(fault);
    return child;
}

TEST(test_crash)
{
    int status = 0;
    pid_t child = start_child("crash");
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

TEST(test_hang)
{
    int status = 0;
    pid_t child = start_child("hang@1");
    usleep(500000);
    assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    kill(child, SIGTERM);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

TEST(test_slow_copies)
{
    struct host_fault fault;
    struct lab_error error = {0};
    assert_true(lab_host_fault_parse(&fault, "slow-copy@2", &error));
    assert_int_equal(lab_host_fault_for_copy(&fault, true), HOST_FAULT_NONE);
    assert_int_equal(lab_host_fault_for_copy(&fault, true), HOST_FAULT_SLOW_COPY);
    assert_int_equal(lab_host_fault_for_work(&fault, true), HOST_FAULT_NONE);
    assert_int_equal(lab_host_fault_for_copy(&fault, false), HOST_FAULT_SLOW_COPY);
    uint64_t start_ns = lab_clock_ns();
    lab_host_fault_delay(HOST_FAULT_SLOW_COPY, 1000000);
    assert_true(lab_clock_ns() - start_ns >= 9000000);
}

/* A fault whose N-th event does not happen has no effect. */
TEST(test_later_faults_have_no_effect)
{
    static const char *const faults[] = {"hang@2", "crash@2", "copy@2", "launch@1", "wrong-result@9", "allocation@3"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        int status = 0;
        pid_t child = start_child(faults[i]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}
