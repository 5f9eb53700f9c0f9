#include "trace/names.h"

#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- threads ------------------------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

static uint64_t thread_key(uint32_t process, uint32_t thread)
{
    return (uint64_t)process << 32 | thread;
}

/* Collects the threads of calls and ranges, each once. */
static bool collect_threads(struct lab_trace_names *names, const struct lab_trace *trace)
{
    size_t count = 0, kept = 0;
    uint64_t *threads = calloc(trace->call_count + trace->range_count + 1, sizeof *threads);
    if (threads == NULL)
        return false;
    for (size_t i = 0; i < trace->call_count; i++)
        threads[count++] = thread_key(trace->calls[i].head.process, trace->calls[i].thread);
    for (size_t i = 0; i < trace->range_count; i++)
        threads[count++] = thread_key(trace->ranges[i].head.process, trace->ranges[i].thread);
    qsort(threads, count, sizeof *threads, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || threads[i] != threads[kept - 1])
            threads[kept++] = threads[i];
    names->threads = threads;
    names->thread_count = kept;
    return true;
}

size_t lab_trace_thread_index(const struct lab_trace_names *names, uint32_t process, uint32_t thread)
{
    uint64_t key = thread_key(process, thread);
    size_t from = 0, to = names->thread_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (names->threads[middle] < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* --- lanes -------------------------------------------------------------------------------------------------------- */

static bool has_several_devices(const struct lab_trace *trace)
{
    const struct lab_trace_place *first = NULL;
#define LOOK(list, count)                                                                                              \
    for (size_t i = 0; i < trace->count; i++) {                                                                        \
        const struct lab_trace_place *place = (const void *)&trace->list[i];                                           \
        first = first != NULL ? first : place;                                                                         \
        if (place->device != first->device)                                                                            \
            return true;                                                                                               \
    }
    LOOK(kernels, kernel_count)
    LOOK(copies, copy_count)
    LOOK(sets, set_count)
#undef LOOK
    return false;
}

bool lab_trace_names_init(struct lab_trace_names *names, const struct lab_trace *trace)
{
    *names = (struct lab_trace_names){
        .trace = trace, .has_processes = trace->process_count > 1, .has_devices = has_several_devices(trace)};
    return collect_threads(names, trace);
}

void lab_trace_names_release(struct lab_trace_names *names)
{
    free(names->threads);
    *names = (struct lab_trace_names){0};
}

/* Writes a lane of a process, with the name that the program gave it. */
static void write_lane(const struct lab_trace_names *names, uint32_t process, const char *what, const char *title,
                       char lane[LAB_TRACE_LANE_SIZE])
{
    char owner[32] = "", text[256];
    if (names->has_processes)
        snprintf(owner, sizeof owner, "process %" PRIu32 ", ", process);
    snprintf(text, sizeof text, title != NULL ? "%s%s (%.100s)" : "%s%s", owner, what, title);
    lab_utf8_drop_invalid(text);
    lab_utf8_copy(lane, LAB_TRACE_LANE_SIZE, text);
}

void lab_trace_thread_lane(const struct lab_trace_names *names, uint32_t process, uint32_t thread,
                           char lane[LAB_TRACE_LANE_SIZE])
{
    char what[32];
    size_t first = lab_trace_thread_index(names, process, 0), index = lab_trace_thread_index(names, process, thread);
    snprintf(what, sizeof what, "thread %zu", index - first + 1);
    write_lane(names, process, what, lab_trace_title_of(names->trace, process, LAB_TRACE_TITLE_THREAD, 0, thread),
               lane);
}

void lab_trace_stream_lane(const struct lab_trace_names *names, const struct lab_trace_place *place,
                           char lane[LAB_TRACE_LANE_SIZE])
{
    char device[24] = "", what[64];
    uint32_t process = place->head.process;
    if (names->has_devices)
        snprintf(device, sizeof device, "device %" PRIu32 ", ", place->device);
    if (lab_trace_order_of(names->trace, process, place->context, place->stream) == LAB_TRACE_ORDER_DEFAULT)
        snprintf(what, sizeof what, "%sdefault stream", device);
    else
        snprintf(what, sizeof what, "%sstream %" PRIu32, device, place->stream);
    write_lane(names, process, what,
               lab_trace_title_of(names->trace, process, LAB_TRACE_TITLE_STREAM, place->context, place->stream), lane);
}

/* --- kernels and calls -------------------------------------------------------------------------------------------- */

/* The length of a name without the parentheses with which it ends. */
static size_t before_parameters(const char *full)
{
    size_t length = strlen(full), depth = 0;
    if (length == 0 || full[length - 1] != ')')
        return length;
    for (size_t i = length; i > 0; i--) {
        depth += full[i - 1] == ')';
        depth -= full[i - 1] == '(';
        if (depth == 0)
            return i - 1;
    }
    return length;
}

/* Where the name begins in the first `length` bytes: after the last space that is in no brackets. */
static size_t after_return_type(const char *full, size_t length)
{
    size_t depth = 0, start = 0;
    for (size_t i = 0; i < length; i++) {
        if (strchr("<(", full[i]) != NULL)
            depth++;
        else if (strchr(">)", full[i]) != NULL && depth > 0)
            depth--;
        else if (full[i] == ' ' && depth == 0)
            start = i + 1;
    }
    return start;
}

static void copy_part(char name[LAB_TRACE_NAME_SIZE], const char *from, size_t length)
{
    snprintf(name, LAB_TRACE_NAME_SIZE, "%.*s", (int)(length < LAB_TRACE_NAME_SIZE ? length : LAB_TRACE_NAME_SIZE),
             from);
    lab_utf8_drop_invalid(name);
}

void lab_trace_kernel_name(const char *full, char name[LAB_TRACE_NAME_SIZE])
{
    size_t length = before_parameters(full), start = after_return_type(full, length);
    copy_part(name, full + start, length - start);
    if (name[0] == '\0')
        copy_part(name, full[0] != '\0' ? full : "kernel", strlen(full[0] != '\0' ? full : "kernel"));
}

void lab_trace_call_name(const char *full, char name[LAB_TRACE_NAME_SIZE])
{
    size_t length = strlen(full), digits = length;
    while (digits > 0 && full[digits - 1] >= '0' && full[digits - 1] <= '9')
        digits--;
    if (digits < length && digits > 2 && memcmp(full + digits - 2, "_v", 2) == 0)
        length = digits - 2;
    copy_part(name, full[0] != '\0' ? full : "call", full[0] != '\0' ? length : strlen("call"));
}
