/* db/results/series.c, points.c, match_runs.c: the history of points, what two runs have in common, the pinned run to
 * compare with. */
#include "support/store_harness.h"
#include "support/test.h"

#include <math.h>

/* --- runs with measurements --------------------------------------------------------------------------------------- */

static struct lab_measurement_row measurement(const char *axes, double median)
{
    return (struct lab_measurement_row){.axes = axes,
                                        .metric = "bandwidth",
                                        .unit = "GB/s",
                                        .n = 3,
                                        .median = median,
                                        .q1 = median,
                                        .q3 = median,
                                        .min = (double)NAN,
                                        .max = (double)NAN,
                                        .mean = (double)NAN,
                                        .stdev = (double)NAN,
                                        .noise = 0.01,
                                        .verified = 1,
                                        .numa_node = INT64_MIN};
}

/* Adds a run that has ended, on a device with this id and name, with measurements. */
static void add_ended(struct lab_store *store, const char *device, const char *name,
                      const struct lab_measurement_row *rows, size_t count, char id[LAB_RUN_ID_SIZE])
{
    char devices[128];
    snprintf(devices, sizeof devices, "[{\"id\":\"%s\",\"name\":\"%s\",\"node\":null}]", device, name);
    lab_run_id(id);
    struct lab_run_row run = plain_run(id);
    run.devices = devices;
    add_run(store, &run);
    assert_int_equal(lab_store_start_run(store, id, 1, NULL), LAB_STORE_OK);
    for (size_t i = 0; i < count; i++)
        lab_store_add_measurement(store, id, &rows[i]);
    assert_int_equal(lab_store_finish_run(store, id, LAB_STATUS_SUCCEEDED, 2, false, NULL, NULL), LAB_STORE_OK);
}

static void pin(struct lab_store *store, const char *id)
{
    bool pinned = true;
    assert_int_equal(lab_store_patch_run(store, id, &(struct lab_run_patch){.pinned = &pinned}, NULL), LAB_STORE_OK);
}

static void keep_point(void *context, const struct lab_point_row *row)
{
    *(int64_t *)context = row->id;
}

static int64_t find_point(struct lab_store *store, const char *axes)
{
    int64_t point = 0;
    assert_int_equal(lab_store_find_point(store, "transfer", "bandwidth", axes, keep_point, &point), LAB_STORE_OK);
    return point;
}

/* The medians of a series, as "3 2 1". */
struct medians {
    char text[128];
};

static void add_median(void *context, const struct lab_series_row *row)
{
    struct medians *medians = context;
    size_t used = strlen(medians->text);
    snprintf(medians->text + used, sizeof medians->text - used, "%s%g", used > 0 ? " " : "", row->median);
}

static void expect_series(struct lab_store *store, const struct lab_series_filter *filter, const char *wanted)
{
    struct medians medians = {0};
    assert_int_equal(lab_store_series(store, filter, add_median, &medians), LAB_STORE_OK);
    assert_string_equal(medians.text, wanted);
}

/* --- series ------------------------------------------------------------------------------------------------------- */

STORE_TEST(a_point_is_found_with_its_axes_in_any_order)
{
    char id[LAB_RUN_ID_SIZE];
    int64_t point = 0;
    const struct lab_measurement_row row = measurement("{\"bytes\":1,\"memory\":\"pinned\"}", 1);
    add_ended(fixture->store, "a", "A", &row, 1, id);
    assert_int_equal(find_point(fixture->store, "{ \"memory\": \"pinned\", \"bytes\": 1 }"),
                     find_point(fixture->store, row.axes));
    assert_int_equal(lab_store_find_point(fixture->store, "transfer", "bandwidth", "{\"bytes\":1}", keep_point, &point),
                     LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_find_point(fixture->store, "transfer", "time", row.axes, keep_point, &point),
                     LAB_STORE_NOT_FOUND);
}

STORE_TEST(a_series_has_the_runs_of_a_model_newest_first)
{
    char ids[6][LAB_RUN_ID_SIZE], model[32];
    for (int i = 0; i < 6; i++) {
        const struct lab_measurement_row row = measurement("{\"bytes\":1}", i);
        add_ended(fixture->store, i % 2 == 0 ? "a0" : "a1", i < 5 ? "A" : "B", &row, 1, ids[i]);
    }
    pin(fixture->store, ids[1]);
    pin(fixture->store, ids[3]);
    struct lab_series_filter filter = {
        .point = find_point(fixture->store, "{\"bytes\":1}"), .model = "A", .limit = 100};
    expect_series(fixture->store, &filter, "4 3 2 1 0");
    filter.limit = 2;
    expect_series(fixture->store, &filter, "4 3");
    filter.before = ids[3];
    expect_series(fixture->store, &filter, "2 1");
    filter.before = NULL;
    filter.device = "a0";
    expect_series(fixture->store, &filter, "4 2");
    filter.device = NULL;
    filter.pinned = true;
    expect_series(fixture->store, &filter, "3 1");
    assert_int_equal(lab_store_series_model(fixture->store, filter.point, NULL, model, sizeof model), LAB_STORE_OK);
    assert_string_equal(model, "B");
    assert_int_equal(lab_store_series_model(fixture->store, filter.point, "a0", model, sizeof model), LAB_STORE_OK);
    assert_string_equal(model, "A");
    assert_int_equal(lab_store_series_model(fixture->store, filter.point, "c", model, sizeof model),
                     LAB_STORE_NOT_FOUND);
}

STORE_TEST(a_series_can_leave_out_wrong_results_and_other_numbers_of_devices)
{
    char id[LAB_RUN_ID_SIZE];
    struct lab_measurement_row row = measurement("{\"bytes\":1}", 1);
    add_ended(fixture->store, "a", "A", &row, 1, id);
    row.median = 2;
    add_ended(fixture->store, "a\",\"name\":\"A\",\"node\":null},{\"id\":\"b", "A", &row, 1, id);
    row.median = 3;
    row.verified = 0;
    add_ended(fixture->store, "a", "A", &row, 1, id);
    struct lab_series_filter filter = {
        .point = find_point(fixture->store, row.axes), .model = "A", .right = true, .limit = 9};
    expect_series(fixture->store, &filter, "2 1");
    filter.device_count = 2;
    expect_series(fixture->store, &filter, "2");
    filter.device_count = 1;
    expect_series(fixture->store, &filter, "1");
    filter.right = false;
    expect_series(fixture->store, &filter, "3 1");
}

static void add_model(void *context, const char *model, int64_t runs, const char *devices)
{
    char *text = context;
    size_t used = strlen(text);
    snprintf(text + used, 256 - used, "%s %d %s\n", model, (int)runs, devices);
}

static void add_axes(void *context, const struct lab_point_row *row)
{
    char *text = context;
    size_t used = strlen(text);
    snprintf(text + used, 256 - used, "%s %s\n", row->metric, row->axes);
}

STORE_TEST(an_experiment_has_models_and_points)
{
    char id[LAB_RUN_ID_SIZE], text[256] = "", points[256] = "", none[256] = "";
    const struct lab_measurement_row rows[2] = {measurement("{\"bytes\":1}", 1), measurement("{\"bytes\":2}", 1)};
    add_ended(fixture->store, "a0", "A", rows, 2, id);
    add_ended(fixture->store, "a1", "A", rows, 1, id);
    add_ended(fixture->store, "b", "B", rows, 1, id);
    add_ended(fixture->store, "c", "C", rows, 0, id);
    assert_int_equal(lab_store_list_models(fixture->store, "transfer", add_model, text), LAB_STORE_OK);
    assert_string_equal(text,
                        "A 2 [{\"id\":\"a1\",\"name\":\"A\",\"node\":null}]\n"
                        "B 1 [{\"id\":\"b\",\"name\":\"B\",\"node\":null}]\n");
    assert_int_equal(lab_store_each_point(fixture->store, "transfer", add_axes, points), LAB_STORE_OK);
    assert_string_equal(points, "bandwidth {\"bytes\":1}\nbandwidth {\"bytes\":2}\n");
    assert_int_equal(lab_store_list_models(fixture->store, "stream", add_model, none), LAB_STORE_OK);
    assert_int_equal(lab_store_each_point(fixture->store, "stream", add_axes, none), LAB_STORE_OK);
    assert_string_equal(none, "");
}

STORE_TEST(a_page_continues_after_a_run_that_was_deleted)
{
    char ids[3][LAB_RUN_ID_SIZE];
    for (int i = 0; i < 3; i++) {
        const struct lab_measurement_row row = measurement("{\"bytes\":1}", i);
        add_ended(fixture->store, "a", "A", &row, 1, ids[i]);
    }
    struct lab_series_filter filter = {
        .point = find_point(fixture->store, "{\"bytes\":1}"), .model = "A", .before = ids[1], .limit = 9};
    assert_int_equal(lab_store_delete_run(fixture->store, ids[1]), LAB_STORE_OK);
    expect_series(fixture->store, &filter, "0");
}

STORE_TEST(skipped_points_and_sides_are_left_out)
{
    char id[LAB_RUN_ID_SIZE];
    struct lab_measurement_row rows[3] = {measurement("{\"bytes\":1}", 1), measurement("{\"bytes\":1}", 2),
                                          measurement("{\"bytes\":1}", 3)};
    rows[1].skipped = "no memory";
    rows[2].side = "head";
    for (size_t i = 0; i < 3; i++)
        add_ended(fixture->store, "a", "A", &rows[i], 1, id);
    expect_series(
        fixture->store,
        &(struct lab_series_filter){.point = find_point(fixture->store, "{\"bytes\":1}"), .model = "A", .limit = 9},
        "1");
}

struct listing {
    char text[256];
};

static void list_point(void *context, const struct lab_point_summary *row)
{
    struct listing *listing = context;
    size_t used = strlen(listing->text);
    snprintf(listing->text + used, sizeof listing->text - used, "%s %s %d %g;", row->point.axes, row->model,
             (int)row->runs, row->last.median);
}

STORE_TEST(points_are_listed_with_their_newest_run)
{
    char id[LAB_RUN_ID_SIZE];
    struct listing every = {0}, one = {0}, none = {0};
    const struct lab_measurement_row rows[] = {measurement("{\"n\":1}", 1), measurement("{\"n\":2}", 2)};
    const struct lab_measurement_row later = measurement("{\"n\":1}", 3);
    add_ended(fixture->store, "a", "A", rows, 2, id);
    add_ended(fixture->store, "a", "A", &later, 1, id);
    add_ended(fixture->store, "b", "B", &later, 1, id);
    assert_int_equal(lab_store_list_points(fixture->store, "transfer", NULL, NULL, 9, list_point, &every),
                     LAB_STORE_OK);
    assert_string_equal(every.text, "{\"n\":1} A 2 3;{\"n\":1} B 1 3;{\"n\":2} A 1 2;");
    assert_int_equal(lab_store_list_points(fixture->store, "transfer", "bandwidth", "B", 9, list_point, &one),
                     LAB_STORE_OK);
    assert_string_equal(one.text, "{\"n\":1} B 1 3;");
    assert_int_equal(lab_store_list_points(fixture->store, "transfer", "time", NULL, 9, list_point, &none),
                     LAB_STORE_OK);
    assert_string_equal(none.text, "");
}

/* --- two runs ----------------------------------------------------------------------------------------------------- */

static void list_match(void *context, int64_t point, const struct lab_measurement_row *base,
                       const struct lab_measurement_row *head)
{
    struct listing *listing = context;
    size_t used = strlen(listing->text);
    assert_true(point > 0);
    snprintf(listing->text + used, sizeof listing->text - used, "%s %g %g;", base != NULL ? base->axes : head->axes,
             base != NULL ? base->median : 0, head != NULL ? head->median : 0);
}

STORE_TEST(runs_are_matched_in_the_order_of_the_head)
{
    char base[LAB_RUN_ID_SIZE], head[LAB_RUN_ID_SIZE];
    struct listing listing = {0};
    struct lab_measurement_row first[] = {measurement("{\"n\":1}", 1), measurement("{\"n\":2}", 2),
                                          measurement("{\"n\":3}", 3)};
    struct lab_measurement_row second[] = {measurement("{\"n\":4}", 40), measurement("{\"n\":2}", 20),
                                           measurement("{\"n\":1}", 10), measurement("{\"n\":3}", 30)};
    second[3].side = "base"; /* of a comparison of its own */
    add_ended(fixture->store, "a", "A", first, 3, base);
    add_ended(fixture->store, "b", "B", second, 4, head);
    assert_int_equal(lab_store_match_measurements(fixture->store, base, head, list_match, &listing), LAB_STORE_OK);
    assert_string_equal(listing.text, "{\"n\":2} 2 20;{\"n\":1} 1 10;{\"n\":3} 3 0;{\"n\":4} 0 40;");
    assert_int_equal(lab_store_match_measurements(fixture->store, base, "none", list_match, &listing),
                     LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_match_measurements(fixture->store, "none", head, list_match, &listing),
                     LAB_STORE_NOT_FOUND);
}

STORE_TEST(the_newest_pinned_run_with_a_common_point_is_found)
{
    char old[LAB_RUN_ID_SIZE], good[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE], elsewhere[LAB_RUN_ID_SIZE],
        run[LAB_RUN_ID_SIZE], found[LAB_RUN_ID_SIZE], sql[160];
    const struct lab_run_filter all = {0}, adas = {.requested_by = "ada"}, bens = {.viewer = "ben"};
    const struct lab_measurement_row one = measurement("{\"n\":1}", 1), two = measurement("{\"n\":2}", 1);
    add_ended(fixture->store, "a", "A", &one, 1, old);
    add_ended(fixture->store, "a", "A", &one, 1, good);
    add_ended(fixture->store, "a", "A", &two, 1, other);
    add_ended(fixture->store, "b", "B", &one, 1, elsewhere);
    add_ended(fixture->store, "a", "A", &one, 1, run);
    assert_int_equal(lab_store_find_pinned(fixture->store, run, &all, found), LAB_STORE_NOT_FOUND);
    pin(fixture->store, old);
    pin(fixture->store, good);
    pin(fixture->store, other);
    pin(fixture->store, elsewhere);
    pin(fixture->store, run);
    assert_int_equal(lab_store_find_pinned(fixture->store, run, &all, found), LAB_STORE_OK);
    assert_string_equal(found, good);
    assert_int_equal(lab_store_find_pinned(fixture->store, "none", &all, found), LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_find_pinned(fixture->store, run, &adas, found), LAB_STORE_NOT_FOUND);
    snprintf(sql, sizeof sql, "UPDATE run SET requested_by = 'ada', secret_until = 9223372036854775806 WHERE id = '%s'",
             good);
    change_file(fixture->path, sql);
    assert_int_equal(lab_store_find_pinned(fixture->store, run, &adas, found), LAB_STORE_OK);
    assert_string_equal(found, good);
    assert_int_equal(lab_store_find_pinned(fixture->store, run, &bens, found), LAB_STORE_OK);
    assert_string_equal(found, old);
}

/* --- ids ---------------------------------------------------------------------------------------------------------- */

TEST(the_time_in_an_id_is_read)
{
    char id[LAB_RUN_ID_SIZE];
    int64_t at = 0, now = lab_time_now();
    lab_run_id(id);
    assert_true(lab_run_id_time(id, &at));
    assert_in_range(at, now - 2000, now + INT64_C(60000000));
    assert_true(lab_run_id_time("019b7719-a200-7000-8000-000000000000", &at));
    assert_int_equal(at / 1000, INT64_C(0x019b7719a200));
    assert_false(lab_run_id_time("019b7719-a200-4000-8000-000000000000", &at));
    assert_false(lab_run_id_time("nonsense", &at));
}
