/* core/result_rows.c, db/results/rows.c: the members of results as JSON and as columns, each with its value. */
#include "store_internal.h"
#include "support/store_harness.h"
#include "support/test.h"

#include "core/result_rows.h"

#include <float.h>
#include <math.h>

/* Sets every member of a row to a value of its type that no other member has. */
static void fill(const struct lab_row_member *members, void *row, char texts[][32])
{
    for (int i = 0; members->name != NULL; members++, i++) {
        void *at = (char *)row + members->offset;
        snprintf(texts[i], 32, "text %d", i);
        if (members->offset == LAB_ELSEWHERE)
            continue;
        switch (members->form) {
        case LAB_FORM_OBJECT:
            snprintf(texts[i], 32, "{\"b\":%d,\"a\":[]}", i);
            *(const char **)at = texts[i];
            break;
        case LAB_FORM_LIST:
            snprintf(texts[i], 32, "[%d,null]", i);
            *(const char **)at = texts[i];
            break;
        case LAB_FORM_TEXT:
        case LAB_FORM_CHOICE:
            *(const char **)at = texts[i];
            break;
        case LAB_FORM_STATUS: /* the last one */
        case LAB_FORM_PRIORITY:
            while (lab_form_names(members->form)[*(unsigned *)at + 1] != NULL)
                ++*(unsigned *)at;
            break;
        case LAB_FORM_TIME:
            *(int64_t *)at = INT64_C(1760000000000000) + i;
            break;
        case LAB_FORM_BOOLEAN:
            *(int *)at = 1;
            break;
        case LAB_FORM_NUMBER:
            *(double *)at = -(i + 0.1);
            break;
        default:
            *(int64_t *)at = INT64_C(-9007199254740993) - i;
            break;
        }
    }
}

static void assert_same(json_t *left, json_t *right)
{
    char *a = json_dumps(left, JSON_COMPACT), *b = json_dumps(right, JSON_COMPACT);
    assert_string_equal(a, b);
    free(a);
    free(b);
    json_decref(left);
    json_decref(right);
}

static void keep_json(void *context, const struct lab_measurement_row *row)
{
    *(json_t **)context = lab_row_to_json(lab_measurement_row_members, row, NULL);
}

static void keep_span(void *context, const struct lab_span_row *row)
{
    *(json_t **)context = lab_row_to_json(lab_span_row_members, row, NULL);
}

STORE_TEST(every_member_is_stored)
{
    struct lab_measurement_row measurement = {0};
    struct lab_span_row span = {0};
    char texts[64][32], id[LAB_RUN_ID_SIZE];
    json_t *read = NULL;
    add_plain_run(fixture->store, id);
    fill(lab_measurement_row_members, &measurement, texts);
    measurement.side = "head"; /* the store takes only sides */
    lab_store_add_measurement(fixture->store, id, &measurement);
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK); /* waits for what is queued */
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 1, false, NULL, NULL),
                     LAB_STORE_OK);
    assert_int_equal(lab_store_list_measurements(fixture->store, id, 0, 1, keep_json, &read), LAB_STORE_OK);
    assert_same(read, lab_row_to_json(lab_measurement_row_members, &measurement, NULL));

    add_plain_run(fixture->store, id);
    fill(lab_span_row_members, &span, texts);
    lab_store_add_span(fixture->store, id, &span);
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 1, false, NULL, NULL),
                     LAB_STORE_OK);
    read = NULL;
    assert_int_equal(lab_store_list_spans(fixture->store, id, 0, 1, keep_span, &read), LAB_STORE_OK);
    assert_same(read, lab_row_to_json(lab_span_row_members, &span, NULL));
}

static json_t *run_json(const struct lab_run_row *row)
{
    json_t *json = lab_row_to_json(lab_run_summary_members, row, NULL);
    json_object_update_new(json, lab_row_to_json(lab_run_detail_members, row, NULL));
    return json;
}

/* The same of a run in the store. */
static json_t *stored_json(struct lab_store *store, const char *id)
{
    struct lab_run_row *run;
    assert_int_equal(lab_store_get_run(store, id, &run), LAB_STORE_OK);
    json_t *json = run_json(run);
    free(run);
    return json;
}

/* Sets every member of a run as `fill` does, but those that SQLite or the store restricts. */
static struct lab_run_row filled_run(char id[LAB_RUN_ID_SIZE], char texts[2][64][32])
{
    struct lab_run_row run = {.estimate_s = 1.5};
    fill(lab_run_summary_members, &run, texts[0]);
    fill(lab_run_detail_members, &run, texts[1]);
    lab_run_id(id);
    run.id = id;
    run.devices = "[]";
    run.tags = "[]";
    run.warnings = "[\"one\",\"two\"]";
    run.notes = "[\"three\"]";
    run.sweep = run.challenge = NULL;
    run.measurement_count = run.wrong_count = 0;
    return run;
}

STORE_TEST(every_member_of_a_run_is_stored)
{
    char texts[2][64][32], id[LAB_RUN_ID_SIZE];
    const struct lab_imported_run imported = {.run = filled_run(id, texts)};
    bool added = false;
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_OK);
    assert_true(added);
    assert_same(stored_json(fixture->store, id), run_json(&imported.run));
}

/* What the store makes of the row of a new run is what it then reads. */
STORE_TEST(the_row_of_a_new_run_becomes_what_is_stored)
{
    char texts[2][64][32], first[LAB_RUN_ID_SIZE], second[LAB_RUN_ID_SIZE];
    struct lab_run_row run = filled_run(first, texts);
    add_run(fixture->store, &run);
    int64_t later = run.created_at;
    run = filled_run(second, texts);
    run.created_at = later - 1; /* the clock was set back a little */
    run.tags = run.note = NULL;
    add_run(fixture->store, &run);
    assert_true(run.created_at == later);
    assert_same(stored_json(fixture->store, second), run_json(&run));
}

/* Checks that a copy of a run is what the store has, and frees it. */
static void assert_written(struct lab_store *store, struct lab_run_row *written)
{
    assert_non_null(written);
    assert_same(stored_json(store, written->id), run_json(written));
    free(written);
}

STORE_TEST(a_change_returns_what_is_stored)
{
    char texts[2][64][32], id[LAB_RUN_ID_SIZE];
    struct lab_run_row run = filled_run(id, texts), *written;
    struct lab_run_patch patch = {.tags = "[\"a\",\"b\"]"};
    struct lab_store *store = fixture->store;
    add_run(store, &run);
    assert_int_equal(lab_store_patch_run(store, id, &patch, &written), LAB_STORE_OK);
    assert_written(store, written);
    assert_int_equal(lab_store_start_run(store, id, INT64_MAX, &written), LAB_STORE_OK);
    assert_written(store, written);
    lab_store_set_environment(store, id, "{\"driver\":\"580\"}", "580");
    lab_store_add_output(store, id, "prin");
    lab_store_add_output(store, id, "ted");
    lab_store_add_warning(store, id, "one");
    lab_store_add_warning(store, id, "two");
    lab_store_add_note(store, id, "three");
    assert_int_equal(lab_store_finish_run(store, id, LAB_STATUS_FAILED, INT64_MAX, true, "{}", &written), LAB_STORE_OK);
    assert_string_equal(written->warnings, "[\"one\",\"two\"]");
    assert_written(store, written);
    patch = (struct lab_run_patch){.note = "", .pinned = &(bool){true}};
    assert_int_equal(lab_store_patch_run(store, id, &patch, &written), LAB_STORE_OK);
    assert_written(store, written);
    assert_int_equal(lab_store_patch_run(store, id, &(struct lab_run_patch){0}, &written), LAB_STORE_OK);
    assert_written(store, written);
    assert_int_equal(lab_store_start_run(store, id, 1, &written), LAB_STORE_CONFLICT);
    assert_null(written);
}

/* An event may say a text before it would be on disk; who reads the run then must find it. */
STORE_TEST(a_run_is_read_with_what_is_queued_for_it)
{
    char texts[2][64][32], id[LAB_RUN_ID_SIZE];
    struct lab_run_row run = filled_run(id, texts), *read;
    struct lab_store *store = fixture->store;
    add_run(store, &run);
    assert_int_equal(lab_store_start_run(store, id, INT64_MAX, NULL), LAB_STORE_OK);
    lab_store_add_output(store, id, "queued");
    assert_int_equal(lab_store_get_run(store, id, &read), LAB_STORE_OK);
    assert_string_equal(read->output, "queued");
    free(read);
}

TEST(json_of_a_run_and_back_is_the_same)
{
    char texts[2][64][32], id[LAB_RUN_ID_SIZE];
    struct lab_run_row before = filled_run(id, texts), after = {0};
    json_t *json = run_json(&before);
    lab_row_from_json(lab_run_summary_members, &after, json);
    lab_row_from_json(lab_run_detail_members, &after, json);
    assert_int_equal(after.status, LAB_STATUS_INTERRUPTED);
    assert_int_equal(after.finished_at, before.finished_at);
    assert_same(json_incref(json), run_json(&after));
    lab_row_release(lab_run_summary_members, &after);
    lab_row_release(lab_run_detail_members, &after);
    json_decref(json);
}

TEST(json_and_back_is_the_same)
{
    struct lab_measurement_row before = {0}, after = {0};
    char texts[64][32];
    fill(lab_measurement_row_members, &before, texts);
    json_t *json = lab_row_to_json(lab_measurement_row_members, &before, NULL);
    lab_row_from_json(lab_measurement_row_members, &after, json);
    assert_string_equal(after.axes, before.axes);
    assert_string_equal(after.rounds, before.rounds);
    assert_true(after.median == before.median && after.n == before.n && after.verified == 1);
    assert_same(json_incref(json), lab_row_to_json(lab_measurement_row_members, &after, NULL));
    lab_row_release(lab_measurement_row_members, &after);
    json_decref(json);
}

TEST(numbers_keep_their_digits_and_sign)
{
    static const double values[] = {0.1, -1.0 / 3, 1e-320, DBL_MAX, DBL_MIN, 0.093684527901385192, 5e15 + 0.5, -0.0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct lab_measurement_row before = {.axes = "{}", .median = values[i]}, after = {0};
        json_t *json = lab_row_to_json(lab_measurement_row_members, &before, NULL);
        char *text = json_dumps(json, JSON_COMPACT);
        json_decref(json);
        json = json_loads(text, 0, NULL);
        lab_row_from_json(lab_measurement_row_members, &after, json);
        assert_true(after.median == values[i] && signbit(after.median) == signbit(values[i]));
        lab_row_release(lab_measurement_row_members, &after);
        json_decref(json);
        free(text);
    }
}

TEST(what_is_not_known_is_null)
{
    struct lab_measurement_row row = {.axes = "{}", .median = (double)NAN, .verified = -1, .numa_node = INT64_MIN};
    json_t *json = lab_row_to_json(lab_measurement_row_members, &row, NULL);
    static const char *const names[] = {"median", "verified", "numa_node", "cache", "peak", "rounds", "skipped"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(json_is_null(json_object_get(json, names[i])));
    assert_true(json_is_integer(json_object_get(json, "n")));

    struct lab_measurement_row read = {.verified = 1, .n = 7, .wrong = 7};
    lab_row_from_json(lab_measurement_row_members, &read, json);
    assert_true(isnan(read.median) && read.verified == -1 && read.numa_node == INT64_MIN && read.n == 0);
    assert_true(read.cache == NULL && read.peak == NULL && read.rounds == NULL && strcmp(read.axes, "{}") == 0);
    lab_row_release(lab_measurement_row_members, &read);
    json_decref(json);
    json = json_object();
    lab_row_from_json(lab_measurement_row_members, &read, json);
    assert_true(isnan(read.q1) && read.verified == -1 && read.wrong == 0 && read.axes == NULL);
    json_decref(json);
}

TEST(a_member_that_older_exports_lack_is_read)
{
    static const struct lab_row_member later[] = {{"power_w", LAB_FORM_NUMBER, true, 0}, {0}};
    double power = 70.5, read = 0;
    struct lab_sql_value bound;
    json_t *json = lab_row_to_json(later, &power, NULL), *empty = json_object();
    lab_row_values(later, &power, &bound);
    lab_row_from_json(later, &read, json);
    assert_true(read == 70.5 && bound.kind == LAB_VALUE_REAL && bound.real == 70.5);
    lab_row_from_json(later, &read, empty);
    assert_true(isnan(read));
    json_decref(json);
    json_decref(empty);
}

TEST(documents_that_cannot_be_read_are_null_or_empty)
{
    char deep[201];
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    deep[200] = '\0';
    const char *const texts[] = {deep, "{", "", NULL};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct lab_measurement_row row = {.axes = texts[i], .peak = texts[i]};
        json_t *unreadable = json_array(), *json = lab_row_to_json(lab_measurement_row_members, &row, unreadable);
        assert_true(json_is_null(json_object_get(json, "peak")));
        assert_true(json_is_object(json_object_get(json, "axes")));
        assert_int_equal(json_array_size(unreadable), texts[i] != NULL ? 2 : 0);
        json_decref(unreadable);
        json_decref(json);
    }
}
