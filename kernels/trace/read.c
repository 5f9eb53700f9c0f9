/* Each type of record is a row: its size, what may be in it, and the list that keeps it or the function that takes
 * it. */
#include "trace/read.h"

#include "core/array.h"
#include "core/hardware_counters.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

/* A trace longer than this is impossible; sums of its times fit into an int64_t. */
#define LENGTH_MAX_NS (366 * INT64_C(86400000000000))
/* A time since 1970 below this, with LENGTH_MAX_NS added, fits too: the year 2200. */
#define TIME_MAX_NS INT64_C(7258118400000000000)

typedef bool take_record(struct lab_trace *trace, struct lab_trace_process *process, const void *record);

struct type {
    size_t size;        /* 0: there is no such type */
    bool has_text;      /* `size` bytes at least; a text follows */
    take_record *take;  /* returns false where the record is not one that a tracer writes */
    bool is_timed;      /* begins with LAB_TRACE_TIMES */
    size_t list, count; /* offsets in struct lab_trace */
    size_t name;        /* offset of the text's number; 0: none */
};

/* --- memory ------------------------------------------------------------------------------------------------------- */

static bool fail(struct lab_trace *trace)
{
    trace->out_of_memory = true;
    return false;
}

/* Adds an item to the list of a row of `types`. */
static bool append(struct lab_trace *trace, const struct type *type, const void *item)
{
    char *items;
    size_t *count = (size_t *)(void *)((char *)trace + type->count);
    memcpy(&items, (char *)trace + type->list, sizeof items);
    items = lab_array_grow(items, *count, type->size);
    if (items == NULL)
        return fail(trace);
    memcpy((char *)trace + type->list, &items, sizeof items);
    memcpy(items + (*count)++ * type->size, item, type->size);
    return true;
}

/* --- processes and texts ------------------------------------------------------------------------------------------ */

/* A process that executes another program records again with the same id, so the last one is meant. */
static struct lab_trace_process *find_process(struct lab_trace *trace, uint32_t id)
{
    for (size_t i = trace->process_count; i > 0; i--)
        if (trace->processes[i - 1].id == id)
            return &trace->processes[i - 1];
    return NULL;
}

static void extend(struct lab_trace *trace, int64_t to_ns)
{
    if (to_ns > trace->last_ns)
        trace->last_ns = to_ns;
}

static bool take_begin(struct lab_trace *trace, struct lab_trace_process *process, const void *record)
{
    const struct lab_trace_begin *begin = record;
    (void)process;
    if (memcmp(begin->magic, LAB_TRACE_MAGIC, sizeof begin->magic) != 0 || begin->version != LAB_TRACE_VERSION ||
        begin->started_ns < 0 || begin->begun_ns < begin->started_ns || begin->begun_ns > TIME_MAX_NS)
        return false;
    if (trace->process_count == 0)
        trace->origin_ns = begin->started_ns;
    if (begin->begun_ns < trace->origin_ns || begin->begun_ns - trace->origin_ns > LENGTH_MAX_NS)
        return false;
    if (trace->process_count == LAB_TRACE_PROCESSES_MAX) {
        trace->left_out++;
        return true;
    }
    int64_t started = begin->started_ns - trace->origin_ns, begun = begin->begun_ns - trace->origin_ns;
    trace->processes[trace->process_count++] = (struct lab_trace_process){
        .id = begin->head.process, .started_ns = started > 0 ? started : 0, .begun_ns = begun, .flushed_ns = begun};
    extend(trace, begun);
    return true;
}

/* The text of a NAME or NOTE, which ends at its first NUL byte, as valid UTF-8; to be freed. */
static char *text_of(const void *record)
{
    const struct lab_trace_head *head = record;
    char *text = strndup((const char *)(head + 1), head->size - sizeof *head);
    if (text != NULL)
        lab_utf8_replace_invalid(text);
    return text;
}

/* Keeps a text of the trace; sets *number to its index, to 0 where names have too many bytes. */
static bool keep_name(struct lab_trace *trace, const void *record, uint32_t *number)
{
    char *text = text_of(record), **names;
    *number = 0;
    if (text == NULL)
        return fail(trace);
    if (trace->name_bytes + strlen(text) + sizeof text > LAB_TRACE_NAME_BYTES_MAX) {
        free(text);
        trace->left_out++;
        return true;
    }
    if ((names = lab_array_grow(trace->names, trace->name_count, sizeof *names)) == NULL) {
        free(text);
        return fail(trace);
    }
    trace->names = names;
    trace->name_bytes += strlen(text) + sizeof text;
    *number = (uint32_t)trace->name_count;
    names[trace->name_count++] = text;
    return true;
}

static bool take_name(struct lab_trace *trace, struct lab_trace_process *process, const void *record)
{
    if (trace->records >= trace->records_max) {
        trace->left_out++;
        return true;
    }
    trace->records++;
    uint32_t *numbers = lab_array_grow(process->names, process->name_count, sizeof *numbers);
    if (numbers == NULL)
        return fail(trace);
    process->names = numbers;
    if (!keep_name(trace, record, &numbers[process->name_count]))
        return false;
    process->name_count++;
    return true;
}

static bool take_note(struct lab_trace *trace, struct lab_trace_process *process, const void *record)
{
    (void)process;
    if (*(const char *)((const struct lab_trace_head *)record + 1) == '\0')
        return false;
    if (trace->note_count == LAB_TRACE_NOTES_MAX) {
        trace->left_out++;
        return true;
    }
    char *text = text_of(record);
    if (text == NULL)
        return fail(trace);
    trace->notes[trace->note_count++] = text;
    return true;
}

/* --- times -------------------------------------------------------------------------------------------------------- */

/* Makes a time relative to the origin. Returns false if it cannot be. */
static bool relate(const struct lab_trace *trace, int64_t *time_ns)
{
    if (*time_ns < trace->origin_ns || *time_ns - trace->origin_ns > LENGTH_MAX_NS)
        return false;
    *time_ns -= trace->origin_ns;
    return true;
}

static bool take_flushed(struct lab_trace *trace, struct lab_trace_process *process, const void *record)
{
    int64_t at = ((const struct lab_trace_flushed *)record)->at_ns;
    if (!relate(trace, &at)) {
        trace->impossible++;
        return true;
    }
    if (at > process->flushed_ns)
        process->flushed_ns = at;
    extend(trace, at);
    return true;
}

static bool take_end(struct lab_trace *trace, struct lab_trace_process *process, const void *record)
{
    int64_t at = ((const struct lab_trace_end *)record)->at_ns;
    if (!relate(trace, &at)) {
        trace->impossible++;
        return true;
    }
    process->has_ended = true;
    process->ended_ns = at;
    extend(trace, at);
    return true;
}

static bool take_lost(struct lab_trace *trace, struct lab_trace_process *process, const void *record)
{
    const struct lab_trace_lost *lost = record;
    (void)trace;
    if (lost->reason >= LAB_TRACE_LOSSES)
        return false;
    process->lost[lost->reason] = lost->records;
    return true;
}

/* --- records of lists --------------------------------------------------------------------------------------------- */

static bool check_copy(const void *record)
{
    const struct lab_trace_copy *copy = record;
    return copy->direction < LAB_TRACE_DIRECTIONS && copy->from < LAB_TRACE_MEMORIES && copy->to < LAB_TRACE_MEMORIES;
}

/* Whether the numbers that are enumerators are such. */
static bool check_choices(uint16_t type, const void *record)
{
    switch (type) {
    case LAB_TRACE_TYPE_COPY:
        return check_copy(record);
    case LAB_TRACE_TYPE_SET:
        return ((const struct lab_trace_set *)record)->memory < LAB_TRACE_MEMORIES;
    case LAB_TRACE_TYPE_WAIT:
        return ((const struct lab_trace_wait *)record)->what < LAB_TRACE_WAITINGS;
    case LAB_TRACE_TYPE_MARK:
        return ((const struct lab_trace_mark *)record)->edge < LAB_TRACE_EDGES;
    case LAB_TRACE_TYPE_STREAM:
        return ((const struct lab_trace_stream *)record)->order < LAB_TRACE_ORDERS;
    case LAB_TRACE_TYPE_METRIC:
        return ((const struct lab_trace_metric *)record)->counter < LAB_HARDWARE_COUNTER_COUNT;
    case LAB_TRACE_TYPE_TITLE:
        return ((const struct lab_trace_title *)record)->what < LAB_TRACE_TITLES;
    default:
        return true;
    }
}

_Static_assert((int)LAB_HARDWARE_COUNTER_COUNT <= (int)LAB_TRACE_COUNTERS_MAX, "a launch has a place for each counter");
#define NAME_OF_lab_trace_gpu offsetof(struct lab_trace_gpu, name)
#define NAME_OF_lab_trace_stream 0
#define NAME_OF_lab_trace_title offsetof(struct lab_trace_title, name)
#define NAME_OF_lab_trace_metric offsetof(struct lab_trace_metric, name)
#define NAME_OF_lab_trace_launch offsetof(struct lab_trace_launch, name)
#define NAME_OF_lab_trace_kernel offsetof(struct lab_trace_kernel, name)
#define NAME_OF_lab_trace_copy 0
#define NAME_OF_lab_trace_set 0
#define NAME_OF_lab_trace_call offsetof(struct lab_trace_call, name)
#define NAME_OF_lab_trace_wait 0
#define NAME_OF_lab_trace_overhead offsetof(struct lab_trace_overhead, name)
#define NAME_OF_lab_trace_mark offsetof(struct lab_trace_mark, name)
#define LIST_TYPE(x, type, tag, items, items_count)                                                                    \
    [LAB_TRACE_TYPE_##type] = {.size = sizeof(struct tag),                                                             \
                               .is_timed = LAB_TRACE_TYPE_##type >= LAB_TRACE_TYPE_KERNEL &&                           \
                                           LAB_TRACE_TYPE_##type <= LAB_TRACE_TYPE_MARK,                               \
                               .list = offsetof(struct lab_trace, items),                                              \
                               .count = offsetof(struct lab_trace, items_count),                                       \
                               .name = NAME_OF_##tag},
static const struct type types[LAB_TRACE_TYPES] = {
    [LAB_TRACE_TYPE_BEGIN] = {sizeof(struct lab_trace_begin), .take = take_begin},
    [LAB_TRACE_TYPE_NAME] = {sizeof(struct lab_trace_head), .has_text = true, .take = take_name},
    [LAB_TRACE_TYPE_NOTE] = {sizeof(struct lab_trace_head), .has_text = true, .take = take_note},
    [LAB_TRACE_TYPE_FLUSHED] = {sizeof(struct lab_trace_flushed), .take = take_flushed},
    [LAB_TRACE_TYPE_LOST] = {sizeof(struct lab_trace_lost), .take = take_lost},
    [LAB_TRACE_TYPE_END] = {sizeof(struct lab_trace_end), .take = take_end},
    LAB_TRACE_LISTS(LIST_TYPE, )};

/* Makes the times of a record relative to the origin. Returns false if they cannot be. */
static bool relate_times(struct lab_trace *trace, void *record)
{
    struct lab_trace_times *times = record;
    if (times->end_ns < times->start_ns || !relate(trace, &times->start_ns) || !relate(trace, &times->end_ns)) {
        trace->impossible++;
        return false;
    }
    extend(trace, times->end_ns);
    return true;
}

/* Replaces the number of a text in its process by that in the trace. Returns false if there is no such text; where
 * texts were left out, the record has none. */
static bool resolve_name(const struct lab_trace *trace, const struct lab_trace_process *process, void *record,
                         const struct type *type)
{
    uint32_t *number = (uint32_t *)(void *)((char *)record + type->name);
    if (type->name == 0 || *number == 0)
        return true;
    if (*number > process->name_count && trace->left_out == 0)
        return false;
    *number = *number <= process->name_count ? process->names[*number - 1] : 0;
    return true;
}

static bool take_listed(struct lab_trace *trace, struct lab_trace_process *process, void *record,
                        const struct type *type)
{
    if (!check_choices(((const struct lab_trace_head *)record)->type, record) ||
        !resolve_name(trace, process, record, type))
        return false;
    if (type->is_timed && !relate_times(trace, record))
        return true;
    if (trace->records >= trace->records_max) {
        trace->left_out++;
        return true;
    }
    trace->records++;
    return append(trace, type, record);
}

/* --- the stream --------------------------------------------------------------------------------------------------- */

static bool check_head(const struct lab_trace_head *head)
{
    const struct type *type = head->type < LAB_TRACE_TYPES ? &types[head->type] : NULL;
    if (type == NULL || type->size == 0 || head->size % 8 != 0)
        return false;
    return type->has_text ? head->size > type->size && head->size <= LAB_TRACE_GROUP_MAX : head->size == type->size;
}

static bool take(struct lab_trace *trace, void *record)
{
    const struct lab_trace_head *head = record;
    struct lab_trace_process *process = find_process(trace, head->process);
    const struct type *type = &types[head->type];
    if (process == NULL && head->type != LAB_TRACE_TYPE_BEGIN) {
        trace->left_out++;
        return trace->process_count == LAB_TRACE_PROCESSES_MAX;
    }
    return type->take != NULL ? type->take(trace, process, record) : take_listed(trace, process, record, type);
}

/* The size of the record that begins in `pending`, as far as it is known. */
static size_t wanted(const struct lab_trace *trace)
{
    struct lab_trace_head head;
    if (trace->pending_count < sizeof head)
        return sizeof head;
    memcpy(&head, trace->pending, sizeof head);
    return head.size;
}

/* Takes what is pending, if it is a record. Returns false if it cannot become one. */
static bool advance(struct lab_trace *trace)
{
    _Alignas(8) unsigned char record[LAB_TRACE_GROUP_MAX];
    struct lab_trace_head head;
    if (trace->pending_count < sizeof head)
        return true;
    memcpy(&head, trace->pending, sizeof head);
    if (!check_head(&head))
        return false;
    if (trace->pending_count < head.size)
        return true;
    memcpy(record, trace->pending, head.size);
    trace->pending_count = 0;
    if (!take(trace, record))
        return false;
    trace->bytes_read += head.size;
    return true;
}

void lab_trace_init(struct lab_trace *trace, size_t records_max)
{
    *trace = (struct lab_trace){.records_max = records_max};
}

bool lab_trace_read(struct lab_trace *trace, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    if (trace->names == NULL) { /* the text 0 */
        trace->names = lab_array_grow(NULL, 0, sizeof *trace->names);
        if (trace->names == NULL || (trace->names[0] = strdup("")) == NULL)
            return fail(trace);
        trace->name_count = 1;
    }
    while (size > 0 && !trace->is_damaged && !trace->out_of_memory) {
        size_t part = wanted(trace) - trace->pending_count;
        part = part < size ? part : size;
        memcpy(trace->pending + trace->pending_count, from, part);
        trace->pending_count += part;
        from += part;
        size -= part;
        trace->is_damaged = !advance(trace) && !trace->out_of_memory;
    }
    return !trace->is_damaged && !trace->out_of_memory;
}

void lab_trace_release(struct lab_trace *trace)
{
    for (size_t i = 0; i < trace->name_count; i++)
        free(trace->names[i]);
    for (size_t i = 0; i < trace->note_count; i++)
        free(trace->notes[i]);
    for (size_t i = 0; i < trace->process_count; i++)
        free(trace->processes[i].names);
#define FREE(x, type, tag, list, count) free(trace->list);
    LAB_TRACE_LISTS(FREE, )
    free(trace->ranges);
    free(trace->names);
    free(trace->calls_by_correlation);
    *trace = (struct lab_trace){0};
}
