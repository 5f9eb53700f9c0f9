/* Records of a made-up stream, good, hostile and too many. */
#include "support/test.h"
#include "support/trace_builder.h"

#include <stdlib.h>
#include <string.h>

static struct trace_builder builder;
static struct lab_trace trace;

/* A kernel of `name`, from 2 to 5 us, started by a call. */
static void add_kernel(uint32_t name)
{
    uint32_t correlation = trace_call(&builder, "cudaLaunchKernel_v7000", 1000, 500);
    TRACE_ADD(&builder, KERNEL, lab_trace_kernel, .start_ns = 2000, .end_ns = 5000, .stream = 13, .context = 1,
              .correlation = correlation, .name = name, .grid = {8, 2, 1}, .block = {256, 1, 1}, .registers = 32,
              .static_shared_bytes = 1024);
}

TEST(records_arrive_with_times_since_the_start_and_with_names)
{
    trace_begin(&builder, TRACE_PROCESS, 500);
    add_kernel(trace_name(&builder, "scale(float*, int)"));
    trace_end(&builder, 9000);
    assert_true(trace_read(&builder, &trace));
    assert_int_equal(trace.origin_ns, TRACE_ORIGIN_NS);
    assert_int_equal(trace.last_ns, 9000);
    assert_int_equal(trace.process_count, 1);
    assert_int_equal(trace.processes[0].begun_ns, 500);
    assert_true(trace.processes[0].has_ended);
    assert_int_equal(trace.processes[0].ended_ns, 9000);
    assert_int_equal(trace.kernel_count, 1);
    assert_int_equal(trace.kernels[0].start_ns, 2000);
    assert_int_equal(trace.kernels[0].end_ns, 5000);
    assert_int_equal(trace.kernels[0].grid[1], 2);
    assert_string_equal(trace.names[trace.kernels[0].name], "scale(float*, int)");
    const struct lab_trace_call *call = lab_trace_call_of(&trace, TRACE_PROCESS, trace.kernels[0].correlation);
    assert_non_null(call);
    assert_string_equal(trace.names[call->name], "cudaLaunchKernel_v7000");
    assert_null(lab_trace_call_of(&trace, TRACE_PROCESS, 99));
    assert_null(lab_trace_call_of(&trace, TRACE_PROCESS + 1, trace.kernels[0].correlation));
    lab_trace_release(&trace);
}

TEST(the_parts_in_which_bytes_arrive_do_not_matter)
{
    trace_begin(&builder, TRACE_PROCESS, 500);
    for (int i = 0; i < 5; i++)
        add_kernel(trace_name(&builder, "kernel"));
    trace_end(&builder, 9000);
    for (size_t part = 1; part <= builder.size; part++) {
        assert_true(trace_read_parts(&builder, &trace, LAB_TRACE_RECORDS_MAX, part));
        assert_int_equal(trace.kernel_count, 5);
        assert_int_equal(trace.bytes_read, builder.size);
        assert_true(trace.processes[0].has_ended);
        lab_trace_release(&trace);
    }
    free(builder.bytes);
}

TEST(records_are_sorted_by_their_starts)
{
    static const int64_t starts[] = {7000, 2000, 9000, 4000};
    trace_begin(&builder, TRACE_PROCESS, 0);
    for (size_t i = 0; i < 4; i++)
        TRACE_ADD(&builder, COPY, lab_trace_copy, .start_ns = starts[i], .end_ns = starts[i] + 1);
    assert_true(trace_read(&builder, &trace));
    assert_int_equal(trace.copy_count, 4);
    for (size_t i = 1; i < 4; i++)
        assert_true(trace.copies[i - 1].start_ns < trace.copies[i].start_ns);
    lab_trace_release(&trace);
}

TEST(marks_become_ranges)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    uint32_t step = trace_name(&builder, "step"), open = trace_name(&builder, "open");
    const struct lab_trace_mark marks[] = {
        {.start_ns = 10, .end_ns = 10, .id = 1, .name = step, .edge = LAB_TRACE_EDGE_START},
        {.start_ns = 20, .end_ns = 20, .id = 2, .name = open, .edge = LAB_TRACE_EDGE_START},
        {.start_ns = 30, .end_ns = 30, .id = 1, .edge = LAB_TRACE_EDGE_END},
        {.start_ns = 40, .end_ns = 40, .id = 3, .name = step, .edge = LAB_TRACE_EDGE_INSTANT},
        {.start_ns = 50, .end_ns = 50, .id = 9, .edge = LAB_TRACE_EDGE_END},
        {.start_ns = 60, .end_ns = 60, .id = 2, .name = step, .edge = LAB_TRACE_EDGE_START}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct lab_trace_mark mark = marks[i];
        trace_add(&builder, LAB_TRACE_TYPE_MARK, &mark, sizeof mark);
    }
    trace_end(&builder, 100);
    assert_true(trace_read(&builder, &trace));
    assert_int_equal(trace.range_count, 4);
    assert_int_equal(trace.ranges[0].start_ns, 10);
    assert_int_equal(trace.ranges[0].end_ns, 30);
    assert_string_equal(trace.names[trace.ranges[0].name], "step");
    assert_int_equal(trace.ranges[1].end_ns, 100);
    assert_int_equal(trace.ranges[2].start_ns, 40);
    assert_int_equal(trace.ranges[2].end_ns, 40);
    lab_trace_release(&trace);
}

TEST(what_is_known_of_streams_devices_and_threads_is_found)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    TRACE_ADD(&builder, GPU, lab_trace_gpu, .device = 1, .multiprocessors = 132, .name = trace_name(&builder, "H100"));
    TRACE_ADD(&builder, STREAM, lab_trace_stream, .context = 2, .stream = 13, .order = LAB_TRACE_ORDER_NON_BLOCKING);
    TRACE_ADD(&builder, STREAM, lab_trace_stream, .context = 1, .stream = 7, .order = LAB_TRACE_ORDER_DEFAULT);
    TRACE_ADD(&builder, TITLE, lab_trace_title, .what = LAB_TRACE_TITLE_STREAM, .context = 2, .id = 13,
              .name = trace_name(&builder, "uploads"));
    assert_true(trace_read(&builder, &trace));
    assert_int_equal(lab_trace_gpu_of(&trace, TRACE_PROCESS, 1)->multiprocessors, 132);
    assert_null(lab_trace_gpu_of(&trace, TRACE_PROCESS, 0));
    assert_int_equal(lab_trace_order_of(&trace, TRACE_PROCESS, 1, 7), LAB_TRACE_ORDER_DEFAULT);
    assert_int_equal(lab_trace_order_of(&trace, TRACE_PROCESS, 2, 13), LAB_TRACE_ORDER_NON_BLOCKING);
    assert_int_equal(lab_trace_order_of(&trace, TRACE_PROCESS, 1, 13), LAB_TRACE_ORDER_UNKNOWN);
    assert_string_equal(lab_trace_title_of(&trace, TRACE_PROCESS, LAB_TRACE_TITLE_STREAM, 2, 13), "uploads");
    assert_null(lab_trace_title_of(&trace, TRACE_PROCESS, LAB_TRACE_TITLE_THREAD, 2, 13));
    lab_trace_release(&trace);
}

/* --- hostile streams ---------------------------------------------------------------------------------------------- */

/* Reads a good record followed by `size` bytes, and expects that only the good one is read. */
static void expect_damaged(const void *bytes, size_t size)
{
    builder = (struct trace_builder){0};
    trace_begin(&builder, TRACE_PROCESS, 0);
    size_t good = builder.size;
    trace_bytes(&builder, bytes, size);
    trace_end(&builder, 100);
    assert_false(trace_read(&builder, &trace));
    assert_true(trace.is_damaged);
    assert_int_equal(trace.bytes_read, good);
    assert_false(trace.processes[0].has_ended);
    lab_trace_release(&trace);
}
#define EXPECT_DAMAGED(TAG, ...) expect_damaged(&(struct TAG){__VA_ARGS__}, sizeof(struct TAG))
#define HEAD(TYPE, TAG) .head = {.size = sizeof(struct TAG), .type = LAB_TRACE_TYPE_##TYPE, .process = TRACE_PROCESS}

TEST(what_is_no_record_ends_the_reading)
{
    static const struct lab_trace_head heads[] = {
        {.size = 0, .type = LAB_TRACE_TYPE_END, .process = TRACE_PROCESS},
        {.size = 8, .type = LAB_TRACE_TYPE_NAME, .process = TRACE_PROCESS},
        {.size = 12, .type = LAB_TRACE_TYPE_NAME, .process = TRACE_PROCESS},
        {.size = 4104, .type = LAB_TRACE_TYPE_NAME, .process = TRACE_PROCESS},
        {.size = 65528, .type = LAB_TRACE_TYPE_NOTE, .process = TRACE_PROCESS},
        {.size = 24, .type = LAB_TRACE_TYPE_END, .process = TRACE_PROCESS},
        {.size = 16, .type = 0, .process = TRACE_PROCESS},
        {.size = 16, .type = LAB_TRACE_TYPES, .process = TRACE_PROCESS},
        {.size = 16, .type = UINT16_MAX, .process = TRACE_PROCESS},
        {.size = 16, .type = LAB_TRACE_TYPE_END, .process = TRACE_PROCESS + 1},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        expect_damaged(&heads[i], sizeof heads[i]);
    expect_damaged("The program printed this.\n", 26);
}

TEST(values_that_no_tracer_writes_end_the_reading)
{
    EXPECT_DAMAGED(lab_trace_copy, HEAD(COPY, lab_trace_copy), .direction = LAB_TRACE_DIRECTIONS);
    EXPECT_DAMAGED(lab_trace_copy, HEAD(COPY, lab_trace_copy), .from = LAB_TRACE_MEMORIES);
    EXPECT_DAMAGED(lab_trace_copy, HEAD(COPY, lab_trace_copy), .to = 255);
    EXPECT_DAMAGED(lab_trace_set, HEAD(SET, lab_trace_set), .memory = LAB_TRACE_MEMORIES);
    EXPECT_DAMAGED(lab_trace_wait, HEAD(WAIT, lab_trace_wait), .what = UINT32_MAX);
    EXPECT_DAMAGED(lab_trace_mark, HEAD(MARK, lab_trace_mark), .edge = LAB_TRACE_EDGES);
    EXPECT_DAMAGED(lab_trace_stream, HEAD(STREAM, lab_trace_stream), .order = LAB_TRACE_ORDERS);
    EXPECT_DAMAGED(lab_trace_title, HEAD(TITLE, lab_trace_title), .what = LAB_TRACE_TITLES);
    EXPECT_DAMAGED(lab_trace_lost, HEAD(LOST, lab_trace_lost), .reason = LAB_TRACE_LOSSES);
    EXPECT_DAMAGED(lab_trace_flushed,
                   .head = {.size = 16, .type = LAB_TRACE_TYPE_NOTE, .process = TRACE_PROCESS}); /* of no text */
    EXPECT_DAMAGED(lab_trace_kernel, HEAD(KERNEL, lab_trace_kernel), .name = 1);
    EXPECT_DAMAGED(lab_trace_begin, HEAD(BEGIN, lab_trace_begin), .magic = "gpulabXX", .version = LAB_TRACE_VERSION);
    EXPECT_DAMAGED(lab_trace_begin, HEAD(BEGIN, lab_trace_begin), .magic = LAB_TRACE_MAGIC, .version = 2);
    EXPECT_DAMAGED(lab_trace_begin, HEAD(BEGIN, lab_trace_begin), .magic = LAB_TRACE_MAGIC,
                   .version = LAB_TRACE_VERSION, .started_ns = INT64_MIN, .begun_ns = INT64_MAX);
}

TEST(a_stream_that_does_not_begin_is_damaged_from_its_first_byte)
{
    builder.process = TRACE_PROCESS;
    trace_end(&builder, 10);
    assert_false(trace_read(&builder, &trace));
    assert_true(trace.is_damaged);
    assert_int_equal(trace.bytes_read, 0);
    lab_trace_release(&trace);
}

TEST(records_with_impossible_times_are_counted_and_left_out)
{
    static const int64_t times[][2] = {{5, 4},
                                       {-1, 5},
                                       {INT64_MIN, INT64_MAX},
                                       {-TRACE_ORIGIN_NS, -TRACE_ORIGIN_NS},
                                       {0, INT64_C(367) * 86400000000000}};
    trace_begin(&builder, TRACE_PROCESS, 0);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct lab_trace_set set = {.head = {.size = sizeof set, .type = LAB_TRACE_TYPE_SET, .process = TRACE_PROCESS},
                                    .start_ns = (int64_t)((uint64_t)times[i][0] + (uint64_t)TRACE_ORIGIN_NS),
                                    .end_ns = (int64_t)((uint64_t)times[i][1] + (uint64_t)TRACE_ORIGIN_NS)};
        trace_bytes(&builder, &set, sizeof set);
    }
    TRACE_ADD(&builder, FLUSHED, lab_trace_flushed, .at_ns = -5);
    TRACE_ADD(&builder, END, lab_trace_end, .at_ns = -5);
    assert_true(trace_read(&builder, &trace));
    assert_int_equal(trace.set_count, 0);
    assert_int_equal(trace.impossible, 7);
    assert_int_equal(trace.last_ns, 0);
    assert_false(trace.processes[0].has_ended);
    lab_trace_release(&trace);
}

TEST(texts_are_valid_utf8_whatever_their_bytes)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    add_kernel(trace_name(&builder, "k\xff\xfe<\xc3"));
    trace_note(&builder, "\x80 note");
    assert_true(trace_read(&builder, &trace));
    assert_string_equal(trace.names[trace.kernels[0].name], "k\?\?<?");
    assert_string_equal(trace.notes[0], "? note");
    lab_trace_release(&trace);
}

TEST(at_most_the_given_number_of_records_is_kept)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    uint32_t name = trace_name(&builder, "kernel");
    for (int i = 0; i < 10; i++)
        TRACE_ADD(&builder, KERNEL, lab_trace_kernel, .start_ns = i, .end_ns = i + 1, .name = name);
    uint32_t late = trace_name(&builder, "late");
    TRACE_ADD(&builder, KERNEL, lab_trace_kernel, .start_ns = 20, .end_ns = 21, .name = late);
    trace_end(&builder, 100);
    assert_true(trace_read_parts(&builder, &trace, 8, builder.size));
    assert_int_equal(trace.kernel_count, 7);
    assert_int_equal(trace.left_out, 5); /* three kernels, a name, and the kernel of that name */
    assert_true(trace.processes[0].has_ended);
    free(builder.bytes);
    lab_trace_release(&trace);
}

TEST(names_have_a_bound_in_bytes)
{
    char text[3000];
    memset(text, 'n', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    trace_begin(&builder, TRACE_PROCESS, 0);
    for (int i = 0; i < 1500; i++)
        trace_name(&builder, text);
    uint32_t short_name = trace_name(&builder, "short");
    TRACE_ADD(&builder, KERNEL, lab_trace_kernel, .name = short_name);
    assert_true(trace_read(&builder, &trace));
    assert_true(trace.name_bytes <= LAB_TRACE_NAME_BYTES_MAX);
    assert_true(trace.left_out > 0);
    assert_string_equal(trace.names[trace.kernels[0].name], "short");
    lab_trace_release(&trace);
}

TEST(processes_and_notes_beyond_the_maximum_are_left_out)
{
    for (uint32_t i = 0; i < LAB_TRACE_PROCESSES_MAX + 2; i++) {
        trace_begin(&builder, TRACE_PROCESS + i, i);
        trace_end(&builder, 1000 + i);
    }
    builder.process = TRACE_PROCESS;
    for (int i = 0; i < LAB_TRACE_NOTES_MAX + 3; i++)
        trace_note(&builder, "note");
    assert_true(trace_read(&builder, &trace));
    assert_int_equal(trace.process_count, LAB_TRACE_PROCESSES_MAX);
    assert_int_equal(trace.note_count, LAB_TRACE_NOTES_MAX);
    assert_int_equal(trace.left_out, 2 + 2 + 3);
    lab_trace_release(&trace);
}

TEST(a_process_that_executes_another_program_begins_again)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    trace_name(&builder, "first");
    trace_begin(&builder, TRACE_PROCESS, 500);
    add_kernel(trace_name(&builder, "second"));
    assert_true(trace_read(&builder, &trace));
    assert_int_equal(trace.process_count, 2);
    assert_string_equal(trace.names[trace.kernels[0].name], "second");
    lab_trace_release(&trace);
}
