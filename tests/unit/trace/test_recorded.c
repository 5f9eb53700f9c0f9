/* Traces that were recorded on a GPU (recorded/README.md): what is read of them, and what they show. */
#include "support/test.h"
#include "trace/findings.h"
#include "trace/read.h"
#include "trace/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 16 };

static struct lab_trace trace;

static void read_trace(const char *name)
{
    static char bytes[FILE_MAX];
    char path[256];
    snprintf(path, sizeof path, LAB_TEST_SOURCE "/unit/trace/recorded/%s.records", name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    assert_in_range(size, 1, FILE_MAX - 1);
    lab_trace_init(&trace, LAB_TRACE_RECORDS_MAX);
    assert_true(lab_trace_read(&trace, bytes, size));
    assert_true(lab_trace_finish(&trace));
}

static int release(void **state)
{
    (void)state;
    lab_trace_release(&trace);
    return 0;
}
AROUND_EACH_TEST(.teardown = release)

/* The names of the findings, each after a blank. */
static void assert_findings(const char *expected)
{
    json_t *findings = lab_trace_findings(&trace, 0), *finding;
    char names[256] = "";
    size_t index;
    json_array_foreach(findings, index, finding)
    {
        strcat(strcat(names, " "), json_string_value(json_object_get(finding, "name")));
    }
    json_decref(findings);
    assert_string_equal(names, expected);
}

struct lanes {
    size_t compute, up, down, streams;
    char seen[16][32];
};

static void count(void *context, const struct lab_trace_span *span)
{
    struct lanes *lanes = context;
    lanes->compute += strcmp(span->kind, "compute") == 0;
    lanes->up += strcmp(span->kind, "copy-up") == 0;
    lanes->down += strcmp(span->kind, "copy-down") == 0;
    if (strncmp(span->lane, "stream ", 7) != 0)
        return;
    for (size_t i = 0; i < lanes->streams; i++)
        if (strcmp(lanes->seen[i], span->lane) == 0)
            return;
    snprintf(lanes->seen[lanes->streams++ % 16], 32, "%s", span->lane);
}

TEST(a_pipeline_in_four_streams)
{
    struct lanes lanes = {0};
    read_trace("overlap");
    assert_int_equal(trace.gpu_count, 1);
    assert_string_equal(trace.names[trace.gpus[0].name], "NVIDIA H100 80GB HBM3");
    assert_int_equal(trace.gpus[0].multiprocessors, 132);
    assert_true(trace.processes[0].has_ended);
    assert_true(lab_trace_timeline(&trace, count, &lanes));
    assert_int_equal(lanes.compute, 16);
    assert_int_equal(lanes.up + lanes.down, 32);
    assert_int_equal(lanes.streams, 4);
    assert_findings(" start-up");
}

TEST(copies_of_pageable_memory)
{
    read_trace("pageable");
    assert_int_equal(trace.copy_count, 11);
    assert_int_equal(trace.copies[0].from, LAB_TRACE_MEMORY_PAGEABLE);
    assert_findings(" pageable-copies start-up");
}

TEST(ranges_of_a_program)
{
    read_trace("nvtx");
    assert_int_equal(trace.range_count, 7);
    assert_int_equal(trace.kernel_count, 4);
    for (size_t i = 0; i < trace.range_count; i++)
        assert_true(trace.ranges[i].start_ns <= trace.ranges[i].end_ns);
    assert_findings(" start-up");
}
