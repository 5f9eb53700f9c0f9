/* server/client: parsing of events, grouping of measurements, exit codes of runs. */
#include "client/lab/sse.h"
#include "client/output/points.h"
#include "client/output/report.h"
#include "support/test.h"

#include "core/json_members.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- sse.c -------------------------------------------------------------------------------------------------------- */

static void append_event(void *context, const char *type, const char *data)
{
    char *all = context;
    snprintf(all + strlen(all), 256 - strlen(all), "[%s|%s]", type, data);
}

/* The result does not depend on the pieces in which the stream arrives. */
TEST(events_are_parsed_from_pieces_of_any_size)
{
    static const char stream[] =
        ": hello\n\nid: 1\nevent: a\ndata: {\"x\":1}\n\n: heartbeat\n\nevent: b\ndata: one\ndata:two\n\n"
        "data: no type\n\nevent: c\n\nevent: cut";
    for (size_t piece = 1; piece <= sizeof stream; piece++) {
        char all[256] = "";
        struct lab_sse sse = {.context = all, .event = append_event};
        for (size_t at = 0; at < sizeof stream - 1; at += piece) {
            size_t left = sizeof stream - 1 - at;
            assert_true(lab_sse_feed(&sse, stream + at, left < piece ? left : piece));
        }
        assert_string_equal(all, "[a|{\"x\":1}][b|one\ntwo][c|]");
        lab_sse_release(&sse);
    }
}

/* --- points.c ----------------------------------------------------------------------------------------------------- */

static const char experiment_text[] =
    "{\"views\":[{\"kind\":\"line\",\"metric\":\"bandwidth\",\"x\":\"bytes\"},{\"kind\":\"line\",\"metric\":\"time\",\"x\":\"bytes\"},"
    "{\"kind\":\"line\",\"metric\":\"share\",\"x\":\"bytes\"},{\"kind\":\"table\",\"metric\":\"latency\",\"x\":\"direction\"}]}";

/* Two series whose points alternate, as an experiment may measure them. */
static const char run_text[] =
    "{\"measurements\":["
    "{\"metric\":\"bandwidth\",\"axes\":{\"bytes\":1,\"direction\":\"h2d\",\"memory\":\"pinned\"},\"median\":1,\"verified\":true},"
    "{\"metric\":\"time\",\"axes\":{\"bytes\":1,\"direction\":\"h2d\",\"memory\":\"pinned\"},\"median\":2,\"verified\":true},"
    "{\"metric\":\"bandwidth\",\"axes\":{\"bytes\":1,\"direction\":\"d2h\",\"memory\":\"pinned\"},\"median\":3,\"verified\":null},"
    "{\"metric\":\"bandwidth\",\"axes\":{\"memory\":\"pinned\",\"direction\":\"h2d\",\"bytes\":2},\"median\":4,\"skipped\":\"why\"},"
    "{\"metric\":\"latency\",\"axes\":{\"direction\":\"h2d\"},\"median\":5,\"verified\":false}]}";

TEST(measurements_are_grouped_by_point_and_series)
{
    json_t *experiment = json_loads(experiment_text, 0, NULL), *run = json_loads(run_text, 0, NULL);
    struct lab_table_points points;
    assert_non_null(experiment);
    assert_non_null(run);
    assert_true(lab_table_points_gather(&points, run, experiment, LAB_METRICS_CHARTED));
    assert_int_equal(points.metric_count, 2); /* share was not measured */
    assert_string_equal(points.metrics[1], "time");
    assert_int_equal(points.count, 3);
    assert_int_equal(points.axis_count, 2);
    assert_string_equal(points.axes[0], "direction");
    assert_string_equal(points.axes[1], "bytes");
    assert_true(points.has_x);
    assert_string_equal(lab_text_of(points.fixed, "memory"), "pinned");
    assert_true(lab_number_of(points.items[0].found[1], "median") == 2);
    assert_true(lab_number_of(points.items[1].found[0], "median") == 4); /* the same series, measured later */
    assert_null(points.items[1].found[1]);
    assert_true(lab_number_of(points.items[2].found[0], "median") == 3);
    lab_table_points_release(&points);

    assert_true(lab_table_points_gather(&points, run, experiment, LAB_METRICS_TABLED));
    assert_int_equal(points.count, 1);
    assert_string_equal(points.metrics[0], "latency");
    lab_table_points_release(&points);

    assert_true(lab_table_points_gather(&points, run, NULL,
                                        LAB_METRICS_CHARTED)); /* an experiment that this build does not have */
    assert_int_equal(points.metric_count, 3);
    assert_int_equal(points.count, 4);
    lab_table_points_release(&points);
    json_decref(experiment);
    json_decref(run);
}

/* --- report.c ----------------------------------------------------------------------------------------------------- */

/* `members`: those of the run beside its status. */
static void expect_exit_code(const char *status, const char *members, enum lab_exit_code code)
{
    json_t *run = json_loads(members, 0, NULL);
    assert_int_equal(json_object_set_new(run, "status", json_string(status)), 0);
    assert_int_equal(lab_report_exit_code(run), code);
    json_decref(run);
}

TEST(the_exit_code_follows_from_status_and_verification)
{
    expect_exit_code("succeeded", "{\"measurements\":[{\"verified\":true},{\"skipped\":\"x\"},{\"verified\":null}]}",
                     LAB_EXIT_OK);
    expect_exit_code("succeeded", "{\"measurements\":[{\"verified\":false}]}", LAB_EXIT_FAILED);
    expect_exit_code("succeeded", "{\"wrong_count\":1}", LAB_EXIT_FAILED);
    expect_exit_code("succeeded", "{\"wrong_count\":0}", LAB_EXIT_OK);
    expect_exit_code("failed", "{\"measurements\":[]}", LAB_EXIT_FAILED);
    expect_exit_code("cancelled", "{\"measurements\":[]}", LAB_EXIT_CANCELLED);
    expect_exit_code("interrupted", "{\"measurements\":[{\"verified\":false}]}", LAB_EXIT_CANCELLED);
    expect_exit_code("running", "{\"measurements\":[]}", LAB_EXIT_OK);
}

TEST(a_run_without_a_result_or_a_device_has_an_exit_code_of_its_own)
{
    expect_exit_code("succeeded", "{\"measurements\":[{\"skipped\":\"x\"}]}", LAB_EXIT_FAILED);
    expect_exit_code("succeeded", "{\"measurements\":[]}", LAB_EXIT_FAILED);
    expect_exit_code("failed", "{\"error\":{\"type\":\"/problems/no-result\"}}", LAB_EXIT_FAILED);
    expect_exit_code("failed", "{\"error\":{\"type\":\"/problems/device-unavailable\"}}", LAB_EXIT_NO_DEVICE);
    expect_exit_code("failed", "{\"error\":{\"type\":\"/problems/worker-start\"}}", LAB_EXIT_NO_DEVICE);
    expect_exit_code("failed", "{\"error\":{\"type\":\"/problems/worker-died\"}}", LAB_EXIT_FAILED);
}

TEST(a_failed_run_decides_the_exit_code_of_several)
{
    assert_int_equal(lab_report_join_exit_codes(LAB_EXIT_OK, LAB_EXIT_OK), LAB_EXIT_OK);
    assert_int_equal(lab_report_join_exit_codes(LAB_EXIT_CANCELLED, LAB_EXIT_OK), LAB_EXIT_CANCELLED);
    assert_int_equal(lab_report_join_exit_codes(LAB_EXIT_CANCELLED, LAB_EXIT_NO_DEVICE), LAB_EXIT_CANCELLED);
    assert_int_equal(lab_report_join_exit_codes(LAB_EXIT_CANCELLED, LAB_EXIT_FAILED), LAB_EXIT_FAILED);
    assert_int_equal(lab_report_join_exit_codes(LAB_EXIT_FAILED, LAB_EXIT_CANCELLED), LAB_EXIT_FAILED);
}

TEST(the_duration_is_from_start_to_finish)
{
    json_t *run = json_pack("{s:s, s:s}", "started_at", "2025-01-31T23:59:59.500000Z", "finished_at",
                            "2025-02-01T00:00:01.750000Z");
    assert_true(fabs(lab_report_seconds(run) - 2.25) < 1e-6);
    json_object_set_new(run, "started_at", json_null());
    assert_true(lab_report_seconds(run) == 0);
    json_decref(run);
}

TEST(notes_and_warnings_are_printed_with_their_kind)
{
    json_t *run = json_loads(
        "{\"id\":\"1\",\"status\":\"succeeded\",\"notes\":[\"FAKE 1.2.3\",\"multicast off\"],"
        "\"warnings\":[\"It was warm.\"]}",
        0, NULL);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    lab_report_run(out, run, NULL, NULL);
    fclose(out);
    assert_non_null(strstr(text, "note: FAKE 1.2.3\nnote: multicast off\nwarning: It was warm.\n"));
    free(text);
    json_decref(run);
}
