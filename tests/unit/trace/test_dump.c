/* `trace --dump FILE` prints the records of a file: what is missing, findings, and spans. */
#include "support/test.h"
#include "support/trace_builder.h"
#include "trace/findings.h"
#include "trace/missing.h"
#include "trace/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_sentence(void *context, const char *text)
{
    (void)context;
    printf("missing: %s\n", text);
}

static void print_span(void *context, const struct lab_trace_span *span)
{
    (void)context;
    char *details = json_dumps(span->details, JSON_COMPACT | JSON_REAL_PRECISION(4));
    printf("%12.3f us %12.3f us  %-24s %-12s %-40s %s\n", (double)span->start_ns / 1e3,
           (double)(span->end_ns - span->start_ns) / 1e3, span->lane, span->kind, span->label, details);
    free(details);
}

static void print_counts(const struct lab_trace *trace)
{
#define PRINT(x, type, tag, list, count) printf("%zu %s, ", trace->count, #list);
    LAB_TRACE_LISTS(PRINT, )
    printf("%zu ranges; until %.6f s\n", trace->range_count, (double)trace->last_ns / 1e9);
    for (size_t i = 0; i < trace->process_count; i++)
        printf("process %" PRIu32 ": CUDA after %.6f s, flushed at %.6f s, %s\n", trace->processes[i].id,
               (double)trace->processes[i].begun_ns / 1e9, (double)trace->processes[i].flushed_ns / 1e9,
               trace->processes[i].has_ended ? "ended" : "did not end");
    for (size_t i = 0; i < trace->gpu_count; i++)
        printf("GPU %" PRIu32 ": %s, %" PRIu32 " multiprocessors, %" PRIu32 " copy engines\n", trace->gpus[i].device,
               trace->names[trace->gpus[i].name], trace->gpus[i].multiprocessors, trace->gpus[i].copy_engines);
    for (size_t i = 0; i < trace->stream_count; i++)
        printf("stream %" PRIu32 " of context %" PRIu32 ": order %" PRIu32 "\n", trace->streams[i].stream,
               trace->streams[i].context, trace->streams[i].order);
}

static void print_findings(const struct lab_trace *trace)
{
    json_t *findings = lab_trace_findings(trace, 0), *finding;
    size_t index;
    json_array_foreach(findings, index, finding)
    {
        printf("%s: %s\n", json_string_value(json_object_get(finding, "name")),
               json_string_value(json_object_get(finding, "text")));
    }
    json_decref(findings);
}

/* Reads a file of records; returns whether all of it could be read. */
static bool read_file(const char *path, struct lab_trace *trace)
{
    unsigned char bytes[8192];
    FILE *file = fopen(path, "rb");
    lab_trace_init(trace, LAB_TRACE_RECORDS_MAX);
    if (file == NULL)
        return false;
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        lab_trace_read(trace, bytes, size);
    fclose(file);
    return lab_trace_finish(trace) && !trace->is_damaged;
}

static int dump(int argc, char **argv)
{
    struct lab_trace trace;
    bool good = read_file(argc > 2 ? argv[2] : "/dev/stdin", &trace);
    print_counts(&trace);
    lab_trace_missing(&trace, (struct lab_trace_ending){0}, print_sentence, NULL);
    print_findings(&trace);
    lab_trace_timeline(&trace, print_span, NULL);
    lab_trace_release(&trace);
    return good ? 0 : 1;
}
TEST_ROLE("--dump", dump)

TEST(a_file_of_records_is_printed)
{
    char path[] = "/tmp/gpulab-records-XXXXXX", printed[] = "/tmp/gpulab-printed-XXXXXX", text[2000] = "";
    struct trace_builder builder = {0};
    trace_begin(&builder, TRACE_PROCESS, 0);
    TRACE_ADD(&builder, SET, lab_trace_set, .start_ns = 2000, .end_ns = 5000, .stream = 13, .bytes = 3000);
    int records = mkstemp(path), output = mkstemp(printed);
    assert_int_equal(write(records, builder.bytes, builder.size), builder.size);
    fflush(stdout);
    dup2(output, STDOUT_FILENO);
    assert_int_equal(dump(3, (char *[]){"trace", "--dump", path, NULL}), 0);
    fflush(stdout);
    assert_true(pread(output, text, sizeof text - 1, 0) > 0);
    assert_non_null(strstr(text, "1 sets, "));
    assert_non_null(strstr(text, "missing: The program did not end by exit()"));
    assert_non_null(strstr(text, "2.000 us        3.000 us  stream 13"));
    unlink(path);
    unlink(printed);
    free(builder.bytes);
}
