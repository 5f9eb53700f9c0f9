/* Injected faults of the host runtime. */
#include "fault.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {
    [HOST_FAULT_ALLOCATION] = "allocation", [HOST_FAULT_COPY] = "copy",
    [HOST_FAULT_LAUNCH] = "launch",         [HOST_FAULT_HANG] = "hang",
    [HOST_FAULT_CRASH] = "crash",           [HOST_FAULT_WRONG_RESULT] = "wrong-result",
    [HOST_FAULT_SLOW_COPY] = "slow-copy",
};

static enum host_fault_kind kind_by_name(const char *name, size_t length)
{
    for (size_t i = HOST_FAULT_NONE + 1; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return (enum host_fault_kind)i;
    return HOST_FAULT_NONE;
}

/* Parses the N of KIND@N. Returns 0 when it is not a positive number. */
static uint64_t parse_nth(const char *text)
{
    if (strspn(text, "0123456789") != strlen(text))
        return 0;
    errno = 0;
    uint64_t nth = strtoull(text, NULL, 10);
    return errno == 0 ? nth : 0;
}

bool lab_host_fault_parse(struct host_fault *fault, const char *text, struct lab_error *error)
{
    fault->kind = HOST_FAULT_NONE;
    fault->nth = 1;
    atomic_init(&fault->count, 0);
    atomic_init(&fault->bad_byte, NULL);
    if (text == NULL || text[0] == '\0')
        return true;
    size_t length = strcspn(text, "@");
    fault->kind = kind_by_name(text, length);
    if (text[length] == '@')
        fault->nth = parse_nth(text + length + 1);
    if (fault->kind != HOST_FAULT_NONE && fault->nth > 0)
        return true;
    fault->kind = HOST_FAULT_NONE;
    return lab_error_set(
        error, LAB_ERROR_INVALID_VALUE, "",
        "the host fault \"%.40s\" must be KIND or KIND@N, where KIND is allocation, copy, launch, hang, crash, "
        "wrong-result or slow-copy, and N is a number from 1",
        text);
}

bool lab_host_fault_due(struct host_fault *fault, enum host_fault_kind kind)
{
    return fault->kind == kind && atomic_fetch_add_explicit(&fault->count, 1, memory_order_relaxed) + 1 == fault->nth;
}

enum host_fault_kind lab_host_fault_for_work(struct host_fault *fault, bool writes)
{
    bool while_running = fault->kind == HOST_FAULT_HANG || fault->kind == HOST_FAULT_CRASH ||
                         (fault->kind == HOST_FAULT_WRONG_RESULT && writes);
    return while_running && lab_host_fault_due(fault, fault->kind) ? fault->kind : HOST_FAULT_NONE;
}

enum host_fault_kind lab_host_fault_for_copy(struct host_fault *fault, bool writes)
{
    if (fault->kind != HOST_FAULT_SLOW_COPY)
        return lab_host_fault_for_work(fault, writes);
    uint64_t number = atomic_fetch_add_explicit(&fault->count, 1, memory_order_relaxed) + 1;
    return number >= fault->nth ? HOST_FAULT_SLOW_COPY : HOST_FAULT_NONE;
}

void lab_host_fault_delay(enum host_fault_kind kind, uint64_t elapsed_ns)
{
    enum { TIMES = 10 };
    uint64_t delay_ns = (TIMES - 1) * elapsed_ns;
    const struct timespec delay = {(time_t)(delay_ns / 1000000000U), (long)(delay_ns % 1000000000U)};
    if (kind == HOST_FAULT_SLOW_COPY)
        clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, NULL);
}

void lab_host_fault_trigger(enum host_fault_kind kind)
{
    if (kind == HOST_FAULT_CRASH)
        raise(SIGSEGV);
    if (kind == HOST_FAULT_HANG)
        for (;;)
            pause();
}

/* Returns `address` if that byte is part of the region, otherwise NULL. */
static unsigned char *byte_of(const struct lab_region *region, const unsigned char *address)
{
    unsigned char *start = region->address;
    if (address < start || region->height == 0)
        return NULL;
    size_t offset = (size_t)(address - start);
    size_t row = region->height > 1 ? offset / region->pitch : 0;
    size_t column = region->height > 1 ? offset % region->pitch : offset;
    return row < region->height && column < region->width ? start + offset : NULL;
}

void lab_host_fault_corrupt(struct host_fault *fault, bool due, const struct lab_region *region)
{
    if (due) {
        unsigned char *start = region->address;
        atomic_store(&fault->bad_byte, start + region->height / 2 * region->pitch + region->width / 2);
    }
    unsigned char *bad = atomic_load(&fault->bad_byte);
    unsigned char *written = bad != NULL ? byte_of(region, bad) : NULL;
    if (written != NULL)
        *written ^= 0x40;
}

void lab_host_fault_forget(struct host_fault *fault, const unsigned char *memory, size_t bytes)
{
    const unsigned char *bad = atomic_load(&fault->bad_byte);
    if (bad != NULL && bad >= memory && (size_t)(bad - memory) < bytes)
        atomic_store(&fault->bad_byte, NULL);
}
