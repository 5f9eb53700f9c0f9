#include "support/trace_builder.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

void trace_bytes(struct trace_builder *builder, const void *bytes, size_t size)
{
    builder->bytes = realloc(builder->bytes, builder->size + size + 1);
    assert_non_null(builder->bytes);
    memcpy(builder->bytes + builder->size, bytes, size);
    builder->size += size;
}

void trace_add(struct trace_builder *builder, enum lab_trace_type type, void *record, size_t size)
{
    *(struct lab_trace_head *)record =
        (struct lab_trace_head){.size = (uint16_t)size, .type = (uint16_t)type, .process = builder->process};
    struct lab_trace_times *times = record;
    if (type >= LAB_TRACE_TYPE_KERNEL && type <= LAB_TRACE_TYPE_MARK) {
        times->start_ns += TRACE_ORIGIN_NS;
        times->end_ns += TRACE_ORIGIN_NS;
    } else if (type == LAB_TRACE_TYPE_FLUSHED || type == LAB_TRACE_TYPE_END) {
        times->start_ns += TRACE_ORIGIN_NS; /* at_ns */
    }
    trace_bytes(builder, record, size);
}

void trace_begin(struct trace_builder *builder, uint32_t process, int64_t begun_ns)
{
    struct lab_trace_begin begin = {.magic = LAB_TRACE_MAGIC,
                                    .version = LAB_TRACE_VERSION,
                                    .started_ns = TRACE_ORIGIN_NS,
                                    .begun_ns = TRACE_ORIGIN_NS + begun_ns};
    builder->process = process;
    builder->names = 0;
    trace_add(builder, LAB_TRACE_TYPE_BEGIN, &begin, sizeof begin);
}

static void add_text(struct trace_builder *builder, enum lab_trace_type type, const char *text)
{
    _Alignas(8) unsigned char record[LAB_TRACE_GROUP_MAX] = {0};
    size_t length = strlen(text), size = (sizeof(struct lab_trace_head) + length + 8) / 8 * 8;
    assert_true(size <= sizeof record);
    memcpy(record + sizeof(struct lab_trace_head), text, length);
    trace_add(builder, type, record, size);
}

uint32_t trace_name(struct trace_builder *builder, const char *text)
{
    add_text(builder, LAB_TRACE_TYPE_NAME, text);
    return ++builder->names;
}

void trace_note(struct trace_builder *builder, const char *text)
{
    add_text(builder, LAB_TRACE_TYPE_NOTE, text);
}

uint32_t trace_call(struct trace_builder *builder, const char *name, int64_t at_ns, int64_t call_ns)
{
    uint32_t number = trace_name(builder, name), correlation = ++builder->correlation;
    TRACE_ADD(builder, CALL, lab_trace_call, .start_ns = at_ns, .end_ns = at_ns + call_ns, .thread = builder->process,
              .correlation = correlation, .name = number);
    return correlation;
}

void trace_end(struct trace_builder *builder, int64_t at_ns)
{
    TRACE_ADD(builder, END, lab_trace_end, .at_ns = at_ns);
}

bool trace_read_parts(const struct trace_builder *builder, struct lab_trace *trace, size_t records_max, size_t part)
{
    bool good = true;
    lab_trace_init(trace, records_max);
    for (size_t at = 0; at < builder->size; at += part)
        good =
            lab_trace_read(trace, builder->bytes + at, at + part < builder->size ? part : builder->size - at) && good;
    assert_true(lab_trace_finish(trace));
    return good;
}

bool trace_read(struct trace_builder *builder, struct lab_trace *trace)
{
    bool good = trace_read_parts(builder, trace, LAB_TRACE_RECORDS_MAX, builder->size);
    free(builder->bytes);
    builder->bytes = NULL;
    return good;
}
