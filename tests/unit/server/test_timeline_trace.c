/* server/api/results/timeline_trace.c, checked against the rules of the Trace Event format (Google's "Trace Event
 * Format" document): the fields of each phase, a name for each thread, and no events that overlap within a thread.
 */
#include "api/results/timeline_trace.h"
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the format's rules ------------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    if (text == NULL)
        fail_msg("no text '%s'", name);
    return text;
}

static json_int_t integer_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value))
        fail_msg("no integer '%s'", name);
    return json_integer_value(value);
}

static double number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        fail_msg("no number '%s'", name);
    return json_number_value(value);
}

/* The arguments of the metadata event with this name of a process, or of one of its threads. Fails unless there is
 * exactly one. */
static const json_t *metadata(const json_t *events, const char *name, json_int_t pid, const json_int_t *tid)
{
    const json_t *found = NULL;
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event)
    {
        if (strcmp(text_of(event, "ph"), "M") != 0 || strcmp(text_of(event, "name"), name) != 0 ||
            integer_of(event, "pid") != pid || (tid != NULL && integer_of(event, "tid") != *tid))
            continue;
        assert_null(found);
        found = json_object_get(event, "args");
    }
    if (found == NULL)
        fail_msg("no %s of process %lld", name, (long long)pid);
    return found;
}

static void check_metadata(const json_t *event)
{
    static const char *const names[] = {"process_name", "process_sort_index", "thread_name", "thread_sort_index"};
    size_t which = 0;
    while (which < 4 && strcmp(names[which], text_of(event, "name")) != 0)
        which++;
    assert_true(which < 4);
    const json_t *arguments = json_object_get(event, "args");
    if (which % 2 == 0)
        assert_true(strlen(text_of(arguments, "name")) > 0);
    else
        integer_of(arguments, "sort_index");
    integer_of(event, "pid");
    if (which >= 2)
        integer_of(event, "tid");
}

static void check_complete(const json_t *events, const json_t *event)
{
    json_int_t pid = integer_of(event, "pid"), tid = integer_of(event, "tid");
    assert_true(strlen(text_of(event, "name")) > 0 && strlen(text_of(event, "cat")) > 0);
    number_of(event, "ts");
    assert_true(number_of(event, "dur") >= 0);
    assert_true(json_is_object(json_object_get(event, "args")));
    metadata(events, "process_name", pid, NULL);
    metadata(events, "process_sort_index", pid, NULL);
    metadata(events, "thread_name", pid, &tid);
    metadata(events, "thread_sort_index", pid, &tid);
}

static bool do_not_overlap(const json_t *one, const json_t *other)
{
    double begin = number_of(one, "ts"), end = begin + number_of(one, "dur");
    double other_begin = number_of(other, "ts"), other_end = other_begin + number_of(other, "dur");
    return end <= other_begin + 1e-9 || other_end <= begin + 1e-9;
}

/* Fails unless the document follows the format. Returns its events (borrowed). */
static const json_t *check_format(const json_t *document)
{
    const json_t *events = json_object_get(document, "traceEvents");
    size_t index, later;
    json_t *event, *other;
    assert_true(json_is_array(events));
    assert_string_equal(text_of(document, "displayTimeUnit"), "ns");
    json_array_foreach(events, index, event)
    {
        const char *phase = text_of(event, "ph");
        if (strcmp(phase, "M") == 0) {
            check_metadata(event);
            continue;
        }
        assert_string_equal(phase, "X");
        check_complete(events, event);
        for (later = index + 1; (other = json_array_get(events, later)) != NULL; later++)
            if (strcmp(text_of(other, "ph"), "X") == 0 && integer_of(other, "tid") == integer_of(event, "tid"))
                assert_true(integer_of(other, "pid") == integer_of(event, "pid") && do_not_overlap(event, other));
    }
    return events;
}

/* --- traces ------------------------------------------------------------------------------------------------------- */

static void add_span(json_t *spans, const char *axes, const char *lane, const char *kind, const char *label,
                     int64_t start_ns, int64_t end_ns)
{
    json_t *parsed = json_loads(axes, 0, NULL);
    assert_non_null(parsed);
    json_array_append_new(spans,
                          json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "lane", lane, "kind", kind, "label", label,
                                    "start_ns", (json_int_t)start_ns, "end_ns", (json_int_t)end_ns, "axes", parsed));
}

/* Counts the complete events of a process and thread, given by name; thread NULL stands for all. *first is the
 * first. */
static int count_events(const json_t *events, const char *process, const char *thread, const json_t **first)
{
    int count = 0;
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event)
    {
        if (strcmp(text_of(event, "ph"), "X") != 0)
            continue;
        json_int_t pid = integer_of(event, "pid"), tid = integer_of(event, "tid");
        if (strcmp(text_of(metadata(events, "process_name", pid, NULL), "name"), process) != 0 ||
            (thread != NULL && strcmp(text_of(metadata(events, "thread_name", pid, &tid), "name"), thread) != 0))
            continue;
        if (count++ == 0 && first != NULL)
            *first = event;
    }
    return count;
}

/* The sort index of a named thread. */
static json_int_t sort_index_of(const json_t *events, const char *process, const char *thread)
{
    const json_t *event = NULL;
    if (count_events(events, process, thread, &event) == 0)
        fail_msg("no thread %s in %s", thread, process);
    json_int_t tid = integer_of(event, "tid");
    return integer_of(metadata(events, "thread_sort_index", integer_of(event, "pid"), &tid), "sort_index");
}

/* Chunks that are copied up, computed and copied down, on `streams` streams. */
static void add_pipeline(json_t *spans, const char *axes, int streams, int chunks)
{
    for (int chunk = 0; chunk < chunks; chunk++) {
        char lane[32], label[32];
        int64_t at = chunk * 1000;
        snprintf(lane, sizeof lane, "stream %d", chunk % streams + 1);
        snprintf(label, sizeof label, "chunk %d", chunk);
        add_span(spans, axes, lane, "copy-up", label, at, at + 1000);
        add_span(spans, axes, lane, "compute", label, at + 1000, at + 1999);
        add_span(spans, axes, lane, "copy-down", label, at + 2000, at + 2750);
    }
}

TEST(a_pipeline_has_a_process_by_stream_and_one_by_engine)
{
    json_t *spans = json_array();
    add_pipeline(spans, "{\"variant\":\"depth-first\",\"chunks\":12,\"pinned\":true}", 12, 12);
    json_t *document = lab_timeline_trace(spans);
    const json_t *events = check_format(document), *first;
    static const char streams[] = "depth-first, chunks 12, pinned true: streams",
                      engines[] = "depth-first, chunks 12, pinned true: engines";
    assert_int_equal(count_events(events, streams, NULL, NULL), 36);
    assert_int_equal(count_events(events, engines, NULL, NULL), 36);
    assert_int_equal(count_events(events, streams, "stream 10", &first), 3);
    assert_true(number_of(first, "ts") == 9.0 && number_of(first, "dur") == 1.0);
    assert_int_equal(count_events(events, engines, "copy-down", &first), 12);
    assert_true(number_of(first, "ts") == 2.0 && number_of(first, "dur") == 0.75); /* fractions of us are kept */
    assert_string_equal(text_of(first, "cat"), "copy-down");
    const json_t *arguments = json_object_get(first, "args");
    assert_string_equal(text_of(arguments, "label"), "chunk 0");
    assert_string_equal(text_of(arguments, "lane"), "stream 1");
    assert_string_equal(text_of(arguments, "variant"), "depth-first");
    assert_int_equal(integer_of(arguments, "chunks"), 12);

    assert_true(sort_index_of(events, streams, "stream 2") < sort_index_of(events, streams, "stream 10"));
    assert_true(sort_index_of(events, engines, "copy-up") < sort_index_of(events, engines, "compute"));
    assert_true(sort_index_of(events, engines, "compute") < sort_index_of(events, engines, "copy-down"));
    json_decref(document);
    json_decref(spans);
}

TEST(each_variant_has_its_own_processes)
{
    json_t *spans = json_array();
    add_span(spans, "{\"variant\":\"sequential\",\"bytes\":8}", "stream 1", "copy-up", "all", 0, 10);
    add_pipeline(spans, "{\"variant\":\"breadth-first\"}", 3, 4);
    add_span(spans, "{\"bytes\":8,\"variant\":\"sequential\"}", "stream 1", "compute", "all", 10, 20);
    json_t *document = lab_timeline_trace(spans);
    const json_t *events = check_format(document), *one, *other;
    assert_int_equal(count_events(events, "sequential, bytes 8: streams", "stream 1", &one), 2);
    assert_int_equal(count_events(events, "sequential, bytes 8: engines", "compute", NULL), 1);
    assert_int_equal(count_events(events, "breadth-first: streams", "stream 1", &other), 6);
    assert_int_equal(count_events(events, "breadth-first: engines", "copy-up", NULL), 4);
    assert_true(integer_of(one, "pid") < integer_of(other, "pid")); /* in the order of their first spans */
    json_decref(document);
    json_decref(spans);
}

TEST(names_have_only_the_axes_that_differ)
{
    json_t *spans = json_array();
    add_span(spans, "{\"bytes\":8,\"memory\":\"pinned\",\"chunks\":4}", "stream 1", "compute", "a", 0, 10);
    add_span(spans, "{\"bytes\":8,\"memory\":\"pinned\",\"chunks\":8}", "stream 1", "compute", "a", 0, 10);
    add_span(spans, "{\"bytes\":8,\"memory\":\"pageable\",\"chunks\":8,\"graph\":true}", "stream 1", "compute", "a", 0,
             10);
    json_t *document = lab_timeline_trace(spans);
    const json_t *events = check_format(document), *first;
    assert_int_equal(count_events(events, "pinned, chunks 4: streams", NULL, NULL), 1);
    assert_int_equal(count_events(events, "pinned, chunks 8: engines", NULL, NULL), 1);
    assert_int_equal(count_events(events, "pageable, chunks 8, graph true: streams", NULL, &first), 1);
    assert_int_equal(integer_of(json_object_get(first, "args"), "bytes"), 8);
    json_decref(document);
    json_decref(spans);
}

TEST(concurrent_spans_get_separate_threads)
{
    json_t *spans = json_array();
    add_span(spans, "{}", "stream 1", "compute", "a", 0, 100);
    add_span(spans, "{}", "stream 2", "compute", "b", 50, 150);
    add_span(spans, "{}", "stream 3", "compute", "c", 60, 70);
    add_span(spans, "{}", "stream 1", "compute", "d", 100, 100);
    add_span(spans, "{}", "stream 1", "compute", "e", 100, 200);
    add_span(spans, "{}", "stream 4", "host", "f", 0, 5);
    json_t *document = lab_timeline_trace(spans);
    const json_t *events = check_format(document);
    assert_int_equal(count_events(events, "engines", "compute", NULL), 3);
    assert_int_equal(count_events(events, "engines", "compute (2)", NULL), 1);
    assert_int_equal(count_events(events, "engines", "compute (3)", NULL), 1);
    assert_int_equal(count_events(events, "engines", "host", NULL), 1);
    assert_int_equal(count_events(events, "streams", "stream 1", NULL), 3);
    assert_true(sort_index_of(events, "engines", "compute (3)") < sort_index_of(events, "engines", "host"));
    json_decref(document);
    json_decref(spans);
}

TEST(what_the_host_did_is_above_what_it_started)
{
    static const char *const kinds[] = {"range", "call",    "wait",        "copy-up",
                                        "set",   "compute", "copy-device", "copy-down"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    json_t *spans = json_array();
    for (size_t i = KINDS; i > 0; i--)
        add_span(spans, "{}", "lane", kinds[i - 1], "a", 0, 100);
    json_t *document = lab_timeline_trace(spans);
    const json_t *events = check_format(document);
    for (size_t i = 1; i < KINDS; i++)
        assert_true(sort_index_of(events, "engines", kinds[i - 1]) < sort_index_of(events, "engines", kinds[i]));
    json_decref(document);
    json_decref(spans);
}

TEST(no_spans_give_an_empty_trace)
{
    json_t *spans = json_array(), *document = lab_timeline_trace(spans);
    assert_int_equal(json_array_size(check_format(document)), 0);
    json_decref(document);
    json_decref(spans);
}

TEST(long_axes_are_not_in_the_name)
{
    char axes[512], wide[300];
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    snprintf(axes, sizeof axes, "{\"source\":\"%s\",\"chunks\":4}", wide);
    json_t *spans = json_array();
    add_span(spans, axes, "stream 1", "compute", "a", 0, 1);
    json_t *document = lab_timeline_trace(spans);
    const json_t *events = check_format(document), *first;
    assert_int_equal(count_events(events, "chunks 4: engines", "compute", &first), 1);
    assert_string_equal(text_of(json_object_get(first, "args"), "source"), wide);
    assert_true(number_of(first, "dur") == 0.001);
    json_decref(document);
    json_decref(spans);
}
