/* For each rule a trace in which it holds and one just below. */
#include "descriptor/experiment.h"
#include "support/test.h"
#include "support/trace_builder.h"
#include "trace/findings.h"
#include "trace/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { US = 1000, MS = 1000000 };

static struct trace_builder builder;

/* The stream that the helpers below use; a stream that is blocking except stream 7, the default stream. */
static uint32_t stream;

static int begin(void **state)
{
    (void)state;
    stream = 13;
    trace_begin(&builder, TRACE_PROCESS, 0);
    TRACE_ADD(&builder, GPU, lab_trace_gpu, .multiprocessors = 132);
    TRACE_ADD(&builder, STREAM, lab_trace_stream, .context = 1, .stream = 7, .order = LAB_TRACE_ORDER_DEFAULT);
    TRACE_ADD(&builder, STREAM, lab_trace_stream, .context = 1, .stream = 13, .order = LAB_TRACE_ORDER_BLOCKING);
    TRACE_ADD(&builder, STREAM, lab_trace_stream, .context = 1, .stream = 14, .order = LAB_TRACE_ORDER_NON_BLOCKING);
    return 0;
}
AROUND_EACH_TEST(.setup = begin)

static void add_kernel(int64_t at, int64_t ns, const char *name, uint32_t blocks, uint32_t correlation)
{
    TRACE_ADD(&builder, KERNEL, lab_trace_kernel, .start_ns = at, .end_ns = at + ns, .context = 1, .stream = stream,
              .name = trace_name(&builder, name), .grid = {blocks, 1, 1}, .block = {256, 1, 1},
              .correlation = correlation);
}

/* A copy between memory of the host and the device, which moves a byte a ns (1 GB/s). */
static void add_copy(int64_t at, int64_t ns, enum lab_trace_direction direction, enum lab_trace_memory memory)
{
    bool up = direction == LAB_TRACE_COPY_H2D;
    TRACE_ADD(&builder, COPY, lab_trace_copy, .start_ns = at, .end_ns = at + ns, .context = 1, .stream = stream,
              .direction = (uint16_t)direction, .bytes = (uint64_t)ns,
              .from = (uint8_t)(up ? memory : LAB_TRACE_MEMORY_DEVICE),
              .to = (uint8_t)(up ? LAB_TRACE_MEMORY_DEVICE : memory));
}

static void add_wait(int64_t at, int64_t ns, enum lab_trace_waiting what)
{
    TRACE_ADD(&builder, WAIT, lab_trace_wait, .start_ns = at, .end_ns = at + ns, .what = what, .context = 1);
}

/* The text of the rule's finding in the built trace, which is empty where the rule does not hold. */
static const char *text_of(const char *rule, double link_gb_per_s)
{
    static char text[LAB_FINDING_TEXT_SIZE + 64];
    struct lab_trace trace;
    assert_true(trace_read(&builder, &trace));
    builder = (struct trace_builder){0};
    json_t *findings = lab_trace_findings(&trace, link_gb_per_s), *finding;
    assert_non_null(findings);
    size_t index;
    text[0] = '\0';
    json_array_foreach(findings, index, finding)
    {
        if (strcmp(json_string_value(json_object_get(finding, "name")), rule) == 0)
            snprintf(text, sizeof text, "%s", json_string_value(json_object_get(finding, "text")));
    }
    json_decref(findings);
    lab_trace_release(&trace);
    return text;
}
#define EXPECT(RULE, LINK, TEXT) assert_string_equal(text_of(RULE, LINK), TEXT)

/* --- copies ------------------------------------------------------------------------------------------------------- */

TEST(pageable_copies_are_compared_with_the_link)
{
    add_copy(0, 10 * MS, LAB_TRACE_COPY_H2D, LAB_TRACE_MEMORY_PAGEABLE);
    add_copy(10 * MS, 10 * MS, LAB_TRACE_COPY_D2H, LAB_TRACE_MEMORY_PAGEABLE);
    add_kernel(20 * MS, 80 * MS, "k", 1000, 0);
    EXPECT(
        "pageable-copies", 50,
        "Copies of pageable host memory: 2, 19.07 MiB in 20.00 ms, 1.000 GB/s, 20.0 % of the time in which the GPU was in "
        "use. From pinned memory (cudaMallocHost), at the 50.00 GB/s of the link, they would take 400.0 us.");
}

TEST(pageable_copies_are_compared_with_pinned_copies_of_the_program)
{
    add_copy(0, 10 * MS, LAB_TRACE_COPY_H2D, LAB_TRACE_MEMORY_PAGEABLE);
    TRACE_ADD(&builder, COPY, lab_trace_copy, .start_ns = 20 * MS, .end_ns = 21 * MS, .bytes = 40 * MS,
              .direction = LAB_TRACE_COPY_H2D, .from = LAB_TRACE_MEMORY_PINNED, .to = LAB_TRACE_MEMORY_DEVICE);
    EXPECT(
        "pageable-copies", 0,
        "Copies of pageable host memory: 1, 9.537 MiB in 10.00 ms, 1.000 GB/s, 47.6 % of the time in which the GPU was in "
        "use. From pinned memory (cudaMallocHost), at the 40.00 GB/s of the program's own copies of pinned memory, they "
        "would take 250.0 us.");
}

TEST(without_a_known_bandwidth_pageable_copies_have_no_prediction)
{
    add_copy(0, 10 * MS, LAB_TRACE_COPY_H2D, LAB_TRACE_MEMORY_PAGEABLE);
    EXPECT(
        "pageable-copies", 0,
        "Copies of pageable host memory: 1, 9.537 MiB in 10.00 ms, 1.000 GB/s, 100.0 % of the time in which the GPU was in "
        "use. The driver copies them through a buffer of pinned memory; memory of cudaMallocHost needs no such step.");
}

TEST(the_share_of_copies_at_the_same_time_is_at_most_all)
{
    add_copy(0, 10 * MS, LAB_TRACE_COPY_H2D, LAB_TRACE_MEMORY_PAGEABLE);
    add_copy(0, 10 * MS, LAB_TRACE_COPY_D2H, LAB_TRACE_MEMORY_PAGEABLE);
    assert_non_null(strstr(text_of("pageable-copies", 50), "in 20.00 ms, 1.000 GB/s, 100.0 % of the time"));
}

TEST(few_pageable_copies_are_no_finding)
{
    add_copy(0, 4 * MS, LAB_TRACE_COPY_H2D, LAB_TRACE_MEMORY_PAGEABLE);
    add_kernel(4 * MS, 96 * MS, "k", 1000, 0);
    EXPECT("pageable-copies", 50, "");
}

TEST(pageable_copies_at_the_speed_of_the_link_are_no_finding)
{
    add_copy(0, 10 * MS, LAB_TRACE_COPY_H2D, LAB_TRACE_MEMORY_PAGEABLE);
    EXPECT("pageable-copies", 1.2, "");
}

static void add_small_copies(int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t correlation = trace_call(&builder, "cudaMemcpy_v3020", 10 * US * i, 6 * US);
        TRACE_ADD(&builder, COPY, lab_trace_copy, .start_ns = 10 * US * i, .end_ns = 10 * US * i + 1000, .bytes = 4096,
                  .direction = LAB_TRACE_COPY_H2D, .from = LAB_TRACE_MEMORY_PINNED, .to = LAB_TRACE_MEMORY_DEVICE,
                  .correlation = correlation, .context = 1, .stream = stream);
    }
}

TEST(many_small_copies_are_compared_with_one)
{
    add_small_copies(100);
    EXPECT(
        "small-copies", 40,
        "Copies between host and GPU of less than 64 KiB: 100, of 4 KiB in the median. Each takes 6.000 us on average, all "
        "of them 600.0 us, for 400 KiB. One copy of as many bytes would take about 10.24 us, at the 40.00 GB/s of the link.");
}

TEST(without_a_known_bandwidth_small_copies_have_no_prediction)
{
    add_small_copies(100);
    EXPECT(
        "small-copies", 0,
        "Copies between host and GPU of less than 64 KiB: 100, of 4 KiB in the median. Each takes 6.000 us on average, all "
        "of them 600.0 us, for 400 KiB. Such copies take nearly as long as an empty one: gather the data and copy once.");
}

TEST(fewer_small_copies_are_no_finding)
{
    add_small_copies(99);
    EXPECT("small-copies", 40, "");
}

TEST(small_copies_beside_long_work_are_no_finding)
{
    add_small_copies(100);
    add_kernel(10 * MS, 20 * MS, "k", 1000, 0);
    EXPECT("small-copies", 40, "");
}

/* Copies up of 10 ms, kernels of 20 ms, copies down of 10 ms; kernels begin `overlap` before the copies end. */
static void add_pipeline(int64_t overlap)
{
    add_copy(0, 10 * MS, LAB_TRACE_COPY_H2D, LAB_TRACE_MEMORY_PINNED);
    add_kernel(10 * MS - overlap, 20 * MS, "k", 1000, 0);
    add_copy(30 * MS - overlap, 10 * MS, LAB_TRACE_COPY_D2H, LAB_TRACE_MEMORY_PINNED);
}

TEST(copies_and_kernels_one_after_the_other_could_overlap)
{
    add_pipeline(0);
    EXPECT(
        "no-overlap", 0,
        "Copies (10.00 ms to the GPU, 10.00 ms from it) and kernels (20.00 ms) never run at the same time. "
        "All work is in one stream. Divided into chunks in several streams, with pinned memory and cudaMemcpyAsync, they "
        "would take at best 20.00 ms instead of 40.00 ms, if the data allow it.");
}

TEST(copies_of_one_direction_that_do_not_overlap_are_named)
{
    add_copy(0, 10 * MS, LAB_TRACE_COPY_H2D, LAB_TRACE_MEMORY_PINNED);
    add_kernel(10 * MS, 20 * MS, "k", 1000, 0);
    assert_non_null(strstr(text_of("no-overlap", 0), "Copies (10.00 ms to the GPU) and kernels (20.00 ms) never run"));
}

TEST(streams_that_do_not_overlap_are_counted)
{
    add_pipeline(0);
    stream = 14;
    add_pipeline(0);
    assert_non_null(strstr(text_of("no-overlap", 0), "The work is in 2 streams."));
}

TEST(a_short_overlap_is_named)
{
    add_pipeline(500 * US);
    assert_non_null(strstr(text_of("no-overlap", 0), "kernels (20.00 ms) run for only 500.0 us at the same time."));
}

TEST(copies_and_kernels_that_overlap_are_no_finding)
{
    add_pipeline(2 * MS);
    EXPECT("no-overlap", 0, "");
}

TEST(short_copies_beside_kernels_are_no_finding)
{
    add_copy(0, 1 * MS, LAB_TRACE_COPY_H2D, LAB_TRACE_MEMORY_PINNED);
    add_kernel(1 * MS, 20 * MS, "k", 1000, 0);
    EXPECT("no-overlap", 0, "");
}

/* --- order -------------------------------------------------------------------------------------------------------- */

static void add_launches(int count, int64_t call_ns, int64_t kernel_ns)
{
    for (int i = 0; i < count; i++) {
        uint32_t correlation = trace_call(&builder, "cudaLaunchKernel_v7000", 20 * US * i, call_ns);
        add_kernel(20 * US * i + call_ns, kernel_ns, "k", 1000, correlation);
    }
}

TEST(launches_that_take_longer_than_their_kernels)
{
    add_launches(50, 6 * US, 2 * US);
    EXPECT(
        "costly-launches", 0,
        "Launching takes longer than computing: of 50 kernels, the call takes 6.000 us in the median (about 2.5 us less without "
        "tracing), the kernel 2.000 us; all calls 300.0 us, all kernels 100.0 us. Fewer and larger kernels, or a CUDA graph, "
        "take fewer calls.");
}

TEST(launches_that_only_tracing_makes_longer_are_no_finding)
{
    add_launches(50, 6 * US, 4 * US);
    EXPECT("costly-launches", 0, "");
}

TEST(few_launches_are_no_finding)
{
    add_launches(49, 6 * US, 2 * US);
    EXPECT("costly-launches", 0, "");
}

/* Kernels alternately in the default stream and in `other`. */
static void add_barriers(int count, uint32_t other)
{
    for (int i = 0; i <= 2 * count; i++) {
        stream = i % 2 == 1 ? 7 : other;
        add_kernel(i * 10 * US, 10 * US, "k", 1000, 0);
    }
}

TEST(the_default_stream_between_other_streams_is_a_barrier)
{
    add_barriers(10, 13);
    EXPECT(
        "default-stream", 0,
        "Work in the default stream between work in other streams: 10 kernels and copies, 100.0 us. Each waits for all that "
        "those streams were given before, and what they are given later waits for it. A stream of its own, or streams made "
        "with cudaStreamNonBlocking, would let them run at the same time.");
}

/* Kernels of 100 us in a blocking stream; after each, one of `ns` in the default stream. */
static void add_short_barriers(int count, int64_t ns)
{
    for (int i = 0; i <= 2 * count; i++) {
        stream = i % 2 == 1 ? 7 : 13;
        add_kernel(i * 100 * US, i % 2 == 1 ? ns : 100 * US, "k", 1000, 0);
    }
}

TEST(few_short_barriers_are_no_finding)
{
    add_short_barriers(9, 10 * US);
    EXPECT("default-stream", 0, "");
}

TEST(a_long_barrier_is_one)
{
    add_short_barriers(1, 30 * US); /* of 300 us */
    EXPECT(
        "default-stream", 0,
        "Work in the default stream between work in other streams: 1 kernel or copy, 30.00 us. Each waits for all that "
        "those streams were given before, and what they are given later waits for it. A stream of its own, or streams made "
        "with cudaStreamNonBlocking, would let them run at the same time.");
}

TEST(a_barrier_that_is_not_long_is_none)
{
    add_short_barriers(1, 29 * US);
    EXPECT("default-stream", 0, "");
}

TEST(non_blocking_streams_have_no_barriers)
{
    add_barriers(20, 14);
    EXPECT("default-stream", 0, "");
}

TEST(the_default_stream_after_all_others_is_no_barrier)
{
    add_kernel(0, 10 * US, "k", 1000, 0);
    stream = 7;
    for (int i = 1; i < 30; i++)
        add_kernel(i * 10 * US, 10 * US, "k", 1000, 0);
    EXPECT("default-stream", 0, "");
}

/* Kernels of 10 us with a pause of 5 us between two, in which a wait ends. */
static void add_waits(int count, enum lab_trace_waiting what)
{
    for (int i = 0; i <= count; i++) {
        add_kernel(i * 15 * US, 10 * US, "k", 1000, 0);
        add_wait(i * 15 * US, 11 * US, what);
    }
}

TEST(waits_between_kernels_leave_the_gpu_idle)
{
    add_waits(50, LAB_TRACE_WAIT_CONTEXT);
    EXPECT(
        "waits", 0,
        "The host waits for the GPU before it gives it more: between 50 of 51 kernels, copies and memsets the GPU is idle, for "
        "5.000 us in the median and 250.0 us in all. Wait only where the host uses a result; until then the stream keeps the "
        "order.");
}

TEST(few_waits_are_no_finding)
{
    add_waits(49, LAB_TRACE_WAIT_CONTEXT);
    EXPECT("waits", 0, "");
}

TEST(a_stream_that_waits_for_an_event_holds_up_no_host)
{
    add_waits(100, LAB_TRACE_WAIT_STREAM_EVENT);
    EXPECT("waits", 0, "");
}

/* --- time --------------------------------------------------------------------------------------------------------- */

TEST(kernels_with_few_blocks_leave_multiprocessors_idle)
{
    add_kernel(0, 10 * MS, "void small(int)", 131, 0);
    add_kernel(10 * MS, 10 * MS, "large", 132, 0);
    EXPECT(
        "small-grids", 0,
        "Kernels with fewer blocks than the GPU has multiprocessors, 132: 1 of 2, 10.00 ms, 50.0 % of the time of all kernels. "
        "A block runs on one multiprocessor: the longest of them, small, has 131, and the other multiprocessors "
        "have nothing to do.");
}

TEST(as_many_blocks_as_multiprocessors_are_no_finding)
{
    add_kernel(0, 10 * MS, "k", 132, 0);
    EXPECT("small-grids", 0, "");
}

TEST(small_kernels_side_by_side_are_no_finding)
{
    for (int i = 0; i < 4; i++)
        add_kernel(i, 10 * MS, "k", 16, 0);
    EXPECT("small-grids", 0, "");
}

TEST(small_kernels_that_take_little_are_no_finding)
{
    add_kernel(0, 1 * MS, "small", 1, 0);
    add_kernel(1 * MS, 10 * MS, "large", 1000, 0);
    EXPECT("small-grids", 0, "");
}

TEST(the_start_of_cuda_is_a_part_of_the_run)
{
    trace_call(&builder, "cudaFree_v3020", 10 * MS, 50 * MS);
    trace_call(&builder, "cuCtxCreate", 20 * MS, 10 * MS); /* within it */
    trace_call(&builder, "cudaMalloc_v3020", 80 * MS, 10 * MS);
    add_kernel(100 * MS, 10 * MS, "k", 1000, 0);
    trace_end(&builder, 200 * MS);
    EXPECT(
        "start-up", 0,
        "Before its first work on the GPU the program is in CUDA calls for 60.00 ms, 30.0 % of the 200.0 ms that it runs; the "
        "longest is cudaFree, 50.00 ms. The first calls of a process also create the context and load code, once: do more in "
        "one process, and do not time its first calls.");
}

TEST(a_short_start_is_no_finding)
{
    trace_call(&builder, "cudaFree_v3020", 10 * MS, 49 * MS);
    add_kernel(100 * MS, 10 * MS, "k", 1000, 0);
    EXPECT("start-up", 0, "");
}

TEST(the_start_of_a_long_run_is_no_finding)
{
    trace_call(&builder, "cudaFree_v3020", 10 * MS, 60 * MS);
    add_kernel(100 * MS, 10 * MS, "k", 1000, 0);
    trace_end(&builder, 700 * MS);
    EXPECT("start-up", 0, "");
}

TEST(one_kernel_takes_nearly_all_of_the_time)
{
    uint32_t hot = trace_name(&builder, "void hot<float>(float*)"), cold = trace_name(&builder, "cold(int)");
    for (int i = 0; i < 5; i++)
        TRACE_ADD(&builder, KERNEL, lab_trace_kernel, .start_ns = i * 20 * MS, .end_ns = (i + 1) * 20 * MS,
                  .name = i < 4 ? hot : cold);
    EXPECT(
        "one-kernel", 0,
        "Of 2 kernels, hot<float> takes 80.0 % of the time of all: 80.00 ms in 4 launches, 20.00 ms each on average. What makes "
        "this kernel faster makes the program faster.");
}

TEST(two_kernels_that_share_the_time_are_no_finding)
{
    add_kernel(0, 79 * MS, "hot", 1000, 0);
    add_kernel(79 * MS, 21 * MS, "cold", 1000, 0);
    EXPECT("one-kernel", 0, "");
}

TEST(the_only_kernel_of_a_program_is_no_finding)
{
    add_kernel(0, 79 * MS, "hot", 1000, 0);
    EXPECT("one-kernel", 0, "");
}

TEST(pauses_of_the_gpu_are_summed_up)
{
    add_kernel(0, 30 * MS, "k", 1000, 0);
    add_kernel(40 * MS, 40 * MS, "k", 1000, 0);
    add_kernel(100 * MS, 0, "k", 1000, 0);
    EXPECT(
        "idle-gpu", 0,
        "From its first to its last work, in 100.0 ms, the GPU is idle for 30.00 ms, 30.0 % of the time. The longest pause is "
        "20.00 ms, 80.00 ms after the start of the program.");
}

TEST(a_gpu_that_mostly_works_is_no_finding)
{
    add_kernel(0, 30 * MS, "k", 1000, 0);
    add_kernel(59 * MS, 41 * MS, "k", 1000, 0);
    EXPECT("idle-gpu", 0, "");
}

/* --- all together ------------------------------------------------------------------------------------------------- */

TEST(a_program_without_fault_has_no_findings)
{
    struct lab_trace trace;
    for (int i = 0; i < 200; i++)
        add_kernel(i * MS, 1 * MS, "k", 1000, 0);
    assert_true(trace_read(&builder, &trace));
    json_t *findings = lab_trace_findings(&trace, 50);
    assert_int_equal(json_array_size(findings), 0);
    json_decref(findings);
    lab_trace_release(&trace);
}

TEST(a_program_without_work_has_no_findings)
{
    struct lab_trace trace;
    trace_call(&builder, "cudaMalloc_v3020", 10 * MS, 500 * MS);
    assert_true(trace_read(&builder, &trace));
    json_t *findings = lab_trace_findings(&trace, 50);
    assert_int_equal(json_array_size(findings), 0);
    json_decref(findings);
    lab_trace_release(&trace);
}

TEST(what_concerns_more_time_comes_first)
{
    struct lab_trace trace;
    add_pipeline(0);                             /* 20 ms */
    add_kernel(140 * MS, 20 * MS, "k", 1000, 0); /* after a pause of 100 ms */
    assert_true(trace_read(&builder, &trace));
    json_t *findings = lab_trace_findings(&trace, 50);
    assert_int_equal(json_array_size(findings), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(findings, 0), "name")), "idle-gpu");
    assert_string_equal(json_string_value(json_object_get(json_array_get(findings, 1), "name")), "no-overlap");
    assert_string_equal(json_string_value(json_object_get(json_array_get(findings, 1), "lesson")), "overlap");
    json_decref(findings);
    lab_trace_release(&trace);
}

TEST(of_several_devices_the_one_that_works_longest_is_named)
{
    add_kernel(0, 1 * MS, "k", 1000, 0);
    for (int i = 0; i < 2; i++)
        TRACE_ADD(&builder, KERNEL, lab_trace_kernel, .start_ns = i * 10 * MS, .end_ns = i * 10 * MS + MS, .device = 1);
    EXPECT(
        "idle-gpu", 0,
        "Device 1: From its first to its last work, in 11.00 ms, the GPU is idle for 9.000 ms, 81.8 % of the time. The longest "
        "pause is 9.000 ms, 1.000 ms after the start of the program.");
}

TEST(every_lesson_is_an_experiment)
{
    size_t count = 0;
    for (const struct lab_trace_rule_row *rule = lab_trace_rules; rule->name != NULL; rule++, count++)
        assert_non_null(lab_experiment_find(rule->lesson));
    assert_int_equal(count, 10);
}
