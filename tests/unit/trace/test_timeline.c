/* Spans of made-up traces. */
#include "support/test.h"
#include "support/trace_builder.h"
#include "trace/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trace_builder builder;
static struct lab_trace trace;
static json_t *spans; /* {lane, kind, label, start, end, details} */

static void collect(void *context, const struct lab_trace_span *span)
{
    (void)context;
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:O}", "lane", span->lane, "kind", span->kind, "label", span->label,
                  "start", (json_int_t)span->start_ns, "end", (json_int_t)span->end_ns, "details", span->details);
    assert_non_null(object);
    json_array_append_new(spans, object);
}

static void make_timeline(void)
{
    assert_true(trace_read(&builder, &trace));
    spans = json_array();
    assert_true(lab_trace_timeline(&trace, collect, NULL));
    lab_trace_release(&trace);
}

static const char *text_of(size_t span, const char *member)
{
    return json_string_value(json_object_get(json_array_get(spans, span), member));
}

/* Compares "LANE | KIND | LABEL" and the details, as JSON with sorted names. */
static void expect_span(size_t span, const char *texts, const char *details)
{
    char found[300];
    snprintf(found, sizeof found, "%s | %s | %s", text_of(span, "lane"), text_of(span, "kind"), text_of(span, "label"));
    assert_string_equal(found, texts);
    char *json = json_dumps(json_object_get(json_array_get(spans, span), "details"),
                            JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(4));
    assert_string_equal(json, details);
    free(json);
}

static void expect_count(size_t count)
{
    assert_int_equal(json_array_size(spans), count);
}

TEST(a_kernel_has_its_launch)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    uint32_t correlation = trace_call(&builder, "cudaLaunchKernel_v7000", 100, 50);
    TRACE_ADD(&builder, KERNEL, lab_trace_kernel, .start_ns = 200, .end_ns = 500, .stream = 13,
              .correlation = correlation, .name = trace_name(&builder, "void scale<float>(float*, int)"),
              .grid = {8, 2, 1}, .block = {256, 1, 1}, .registers = 32, .static_shared_bytes = 1024,
              .dynamic_shared_bytes = 4096, .local_bytes = 16);
    make_timeline();
    expect_count(2);
    expect_span(0, "thread 1 | call | cudaLaunchKernel", "{\"correlation\":1}");
    expect_span(1, "stream 13 | compute | scale<float>",
                "{\"block\":[256,1,1],\"call\":\"cudaLaunchKernel\",\"called_ns\":100,\"correlation\":1,\"device\":0,"
                "\"grid\":[8,2,1],\"local_bytes\":16,\"name\":\"void scale<float>(float*, int)\",\"registers\":32,"
                "\"shared_bytes\":5120,\"stream\":13}");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(spans, 1), "start")), 200);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(spans, 1), "end")), 500);
    json_decref(spans);
}

TEST(a_copy_has_its_direction_memory_and_rate)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    TRACE_ADD(&builder, COPY, lab_trace_copy, .start_ns = 0, .end_ns = 1048576, .stream = 13, .bytes = 4 << 20,
              .direction = LAB_TRACE_COPY_H2D, .from = LAB_TRACE_MEMORY_PAGEABLE, .to = LAB_TRACE_MEMORY_DEVICE);
    TRACE_ADD(&builder, COPY, lab_trace_copy, .start_ns = 10, .end_ns = 10, .stream = 13, .bytes = 1000, .graph = 3,
              .direction = LAB_TRACE_COPY_P2P, .from = LAB_TRACE_MEMORY_DEVICE, .to = LAB_TRACE_MEMORY_DEVICE,
              .to_device = 1, .asynchronous = 1);
    TRACE_ADD(&builder, SET, lab_trace_set, .start_ns = 20, .end_ns = 30, .device = 0, .stream = 13, .bytes = 1024,
              .memory = LAB_TRACE_MEMORY_DEVICE, .value = 255);
    make_timeline();
    expect_count(3);
    expect_span(0, "stream 13 | copy-up | H2D 4 MiB · pageable",
                "{\"asynchronous\":false,\"bytes\":4194304,\"correlation\":0,\"device\":0,\"from\":\"pageable\","
                "\"gb_per_s\":4.0,\"stream\":13,\"to\":\"device\"}");
    expect_span(1, "stream 13 | copy-peer | P2P 1000 B",
                "{\"asynchronous\":true,\"bytes\":1000,\"correlation\":0,\"device\":0,\"from\":\"device\","
                "\"from_device\":0,\"graph\":3,\"stream\":13,\"to\":\"device\",\"to_device\":1}");
    expect_span(2, "stream 13 | set | memset 1 KiB",
                "{\"bytes\":1024,\"correlation\":0,\"device\":0,\"gb_per_s\":102.4,\"stream\":13,\"to\":\"device\","
                "\"value\":255}");
    json_decref(spans);
}

TEST(a_call_within_a_call_of_its_thread_has_no_span)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    trace_call(&builder, "cuMemAlloc_v2", 150, 10);
    trace_call(&builder, "cudaMalloc_v3020", 100, 100);
    builder.process = TRACE_PROCESS;
    TRACE_ADD(&builder, CALL, lab_trace_call, .start_ns = 120, .end_ns = 140, .thread = TRACE_PROCESS + 5, .result = 2,
              .name = trace_name(&builder, "cudaMemcpy_v3020"));
    trace_call(&builder, "cudaFree_v3020", 200, 5);
    make_timeline();
    expect_count(3);
    expect_span(0, "thread 1 | call | cudaMalloc", "{\"correlation\":2}");
    expect_span(1, "thread 2 | call | cudaMemcpy", "{\"correlation\":0,\"result\":2}");
    expect_span(2, "thread 1 | call | cudaFree", "{\"correlation\":3}");
    json_decref(spans);
}

TEST(a_call_that_waits_is_a_wait)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    uint32_t sync = trace_call(&builder, "cudaDeviceSynchronize_v3020", 100, 100);
    uint32_t order = trace_call(&builder, "cudaStreamWaitEvent_v3020", 300, 10);
    TRACE_ADD(&builder, WAIT, lab_trace_wait, .start_ns = 101, .end_ns = 199, .what = LAB_TRACE_WAIT_CONTEXT,
              .correlation = sync);
    TRACE_ADD(&builder, WAIT, lab_trace_wait, .start_ns = 301, .end_ns = 309, .what = LAB_TRACE_WAIT_STREAM_EVENT,
              .correlation = order);
    make_timeline();
    expect_count(2);
    assert_string_equal(text_of(0, "kind"), "wait");
    assert_string_equal(text_of(1, "kind"), "call");
    json_decref(spans);
}

TEST(lanes_name_what_there_are_several_of)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    TRACE_ADD(&builder, STREAM, lab_trace_stream, .context = 1, .stream = 7, .order = LAB_TRACE_ORDER_DEFAULT);
    TRACE_ADD(&builder, TITLE, lab_trace_title, .what = LAB_TRACE_TITLE_THREAD, .id = TRACE_PROCESS,
              .name = trace_name(&builder, "loader"));
    trace_call(&builder, "cudaMalloc_v3020", 100, 100);
    TRACE_ADD(&builder, SET, lab_trace_set, .start_ns = 1, .end_ns = 2, .context = 1, .stream = 7);
    trace_begin(&builder, TRACE_PROCESS + 1, 0);
    TRACE_ADD(&builder, SET, lab_trace_set, .start_ns = 3, .end_ns = 4, .device = 1, .context = 1, .stream = 7);
    make_timeline();
    expect_count(3);
    assert_string_equal(text_of(0, "lane"), "process 100, thread 1 (loader)");
    assert_string_equal(text_of(1, "lane"), "process 100, device 0, default stream");
    assert_string_equal(text_of(2, "lane"), "process 101, device 1, stream 7");
    json_decref(spans);
}

TEST(ranges_and_overhead_have_lanes_of_their_own)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    uint32_t name = trace_name(&builder, "step 1");
    TRACE_ADD(&builder, MARK, lab_trace_mark, .start_ns = 10, .end_ns = 10, .thread = TRACE_PROCESS, .name = name,
              .edge = LAB_TRACE_EDGE_INSTANT);
    TRACE_ADD(&builder, OVERHEAD, lab_trace_overhead, .start_ns = 10, .end_ns = 20,
              .name = trace_name(&builder, "lazy loading of a kernel"));
    make_timeline();
    expect_count(2);
    expect_span(0, "thread 1, ranges | range | step 1", "{}");
    expect_span(1, "overhead | overhead | lazy loading of a kernel", "{}");
    json_decref(spans);
}
