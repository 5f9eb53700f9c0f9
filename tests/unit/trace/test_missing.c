/* What a trace lacks, in sentences. */
#include "support/test.h"
#include "support/trace_builder.h"
#include "trace/missing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trace_builder builder;
static struct lab_trace trace;
static char sentences[2000];

static void collect(void *context, const char *text)
{
    (void)context;
    size_t length = strlen(sentences);
    snprintf(sentences + length, sizeof sentences - length, "%s\n", text);
}

/* Reads the built stream and compares what is missing from it. */
static void expect_missing(struct lab_trace_ending ending, const char *text)
{
    trace_read(&builder, &trace);
    lab_trace_missing(&trace, ending, collect, NULL);
    assert_string_equal(sentences, text);
    lab_trace_release(&trace);
}

#define HELD "and of what was before, calls and work that CUPTI held back because other work was still running.\n"

TEST(nothing_is_missing_after_an_orderly_end)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    trace_end(&builder, 100);
    expect_missing((struct lab_trace_ending){0}, "");
}

TEST(a_signal_and_the_time_since_the_last_records_are_named)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    TRACE_ADD(&builder, FLUSHED, lab_trace_flushed, .at_ns = 200000000);
    expect_missing((struct lab_trace_ending){.signal = 6, .at_ns = TRACE_ORIGIN_NS + 237000000},
                   "The program was ended by SIGABRT. What happened in its last 37.00 ms is missing, " HELD);
}

TEST(an_end_without_exit_and_an_unknown_time_are_named)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    TRACE_ADD(&builder, FLUSHED, lab_trace_flushed, .at_ns = 200000000);
    expect_missing(
        (struct lab_trace_ending){0},
        "The program did not end by exit(), or its last records could not be handed over. What happened after its records were last written, "
        "200.0 ms after the start of the program, is missing, " HELD);
}

TEST(of_several_processes_each_that_did_not_exit_is_named)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    trace_end(&builder, 100);
    trace_begin(&builder, 222, 1000000);
    expect_missing(
        (struct lab_trace_ending){.signal = 9, .at_ns = TRACE_ORIGIN_NS + 5000000},
        "Process 222 did not end by exit(), or its last records could not be handed over. What happened after its records were last written, 1.000 ms after "
        "the start of the program, is missing, " HELD);
}

TEST(records_that_were_lost_are_counted_by_reason)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    TRACE_ADD(&builder, LOST, lab_trace_lost, .reason = LAB_TRACE_LOSS_LIMIT, .records = 7);
    TRACE_ADD(&builder, LOST, lab_trace_lost, .reason = LAB_TRACE_LOSS_LIMIT, .records = 12);
    TRACE_ADD(&builder, LOST, lab_trace_lost, .reason = LAB_TRACE_LOSS_CUPTI, .records = 3);
    trace_end(&builder, 100);
    expect_missing((struct lab_trace_ending){0},
                   "Records that are missing: 12, because the trace had reached its limit of bytes.\n"
                   "Records that are missing: 3, because CUPTI dropped them.\n");
}

TEST(hostile_counts_do_not_overflow)
{
    for (uint32_t i = 0; i < 2; i++) {
        trace_begin(&builder, TRACE_PROCESS + i, 0);
        TRACE_ADD(&builder, LOST, lab_trace_lost, .reason = LAB_TRACE_LOSS_READER, .records = UINT64_MAX - 1);
        trace_end(&builder, 100);
    }
    expect_missing((struct lab_trace_ending){0},
                   "Records that are missing: 18446744073709551615, because they could "
                   "not be handed over in time.\n");
}

TEST(a_program_without_records_is_named)
{
    expect_missing((struct lab_trace_ending){0},
                   "Nothing was recorded: the program did not initialise CUDA, or did not load the tracer.\n");
}

TEST(notes_and_damage_are_named)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    trace_note(&builder, "CUPTI could not be opened.");
    trace_end(&builder, 1);
    size_t good = builder.size;
    trace_bytes(&builder, "xxxxxxxxxxxxxxxx", 16);
    char text[200];
    snprintf(text, sizeof text,
             "CUPTI could not be opened.\nThe records are damaged after byte %zu; what follows was not read.\n", good);
    expect_missing((struct lab_trace_ending){0}, text);
}

TEST(what_was_left_out_is_named)
{
    trace_begin(&builder, TRACE_PROCESS, 0);
    for (int i = 0; i < 10; i++)
        TRACE_ADD(&builder, SET, lab_trace_set, .start_ns = i, .end_ns = i);
    TRACE_ADD(&builder, SET, lab_trace_set, .start_ns = 5, .end_ns = 4);
    trace_end(&builder, 100);
    trace_read_parts(&builder, &trace, 4, builder.size);
    lab_trace_missing(&trace, (struct lab_trace_ending){0}, collect, NULL);
    assert_string_equal(sentences,
                        "Records that are missing: 6, because at most 4 are kept.\n"
                        "Records that are missing: 1, because their times cannot be.\n");
    free(builder.bytes);
    lab_trace_release(&trace);
}
