/* Fuzzes the records of a traced program. The first byte of an input is the size of the parts in which the rest
 * arrives. */
#include "check.h"
#include "trace/findings.h"
#include "trace/missing.h"
#include "trace/timeline.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RECORDS_MAX = 200 };

static void check_sentence(void *context, const char *text)
{
    (void)context;
    must(text[0] != '\0', "a sentence has a text");
    check_text(text, "a sentence is valid UTF-8");
}

static void check_span(void *context, const struct lab_trace_span *span)
{
    const struct lab_trace *trace = context;
    check_text(span->lane, "a lane is valid UTF-8");
    check_text(span->label, "a label is valid UTF-8");
    must(span->kind != NULL, "a span has a kind");
    must(span->start_ns >= 0 && span->end_ns >= span->start_ns && span->end_ns <= trace->last_ns,
         "a span is in the time of the trace");
    char *details = json_dumps(span->details, JSON_COMPACT);
    must(details != NULL, "details are JSON");
    free(details);
}

static void check_findings(const struct lab_trace *trace)
{
    json_t *findings = lab_trace_findings(trace, 40), *finding;
    size_t index;
    must(findings != NULL, "memory is sufficient");
    json_array_foreach(findings, index, finding)
    {
        const char *text = json_string_value(json_object_get(finding, "text"));
        check_text(text, "a finding is valid UTF-8");
        must(text[0] != '\0' && strlen(text) <= 1024, "a finding has a text of at most 1024 bytes");
    }
    json_decref(findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lab_trace trace;
    if (size == 0)
        return 0;
    size_t part = data[0] > 0 ? data[0] : size;
    lab_trace_init(&trace, RECORDS_MAX);
    for (size_t at = 1; at < size; at += part)
        lab_trace_read(&trace, data + at, at + part < size ? part : size - at);
    must(trace.bytes_read <= size, "no more is read than was given");
    must(lab_trace_finish(&trace), "memory is sufficient");
    lab_trace_missing(&trace, (struct lab_trace_ending){.signal = 6, .at_ns = INT64_MAX}, check_sentence, NULL);
    check_findings(&trace);
    must(lab_trace_timeline(&trace, check_span, &trace), "memory is sufficient");
    lab_trace_release(&trace);
    return 0;
}
