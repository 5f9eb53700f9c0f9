/* core/throttle.h: what each reason of throttling says of a value, in answers and in the store's series. */
#include "support/store_harness.h"
#include "support/test.h"

#include "core/throttle.h"

TEST(cautions_are_what_is_not_normal)
{
    json_t *reasons = json_pack("[s, s, s, i, s]", "power-cap", "thermal", "application-clocks", 1, "not yet known");
    json_t *cautions = lab_throttle_cautions(reasons);
    json_t *wanted = json_pack("[s, s, s]", "thermal", "application-clocks", "not yet known");
    assert_true(json_equal(cautions, wanted));
    json_decref(wanted);
    json_decref(cautions);
    json_decref(reasons);
    cautions = lab_throttle_cautions(NULL);
    assert_int_equal(json_array_size(cautions), 0);
    json_decref(cautions);
    assert_int_equal(lab_throttle_kind("power-cap"), LAB_THROTTLE_NORMAL);
    assert_int_equal(lab_throttle_kind("hardware-thermal"), LAB_THROTTLE_FAULT);
    assert_int_equal(lab_throttle_kind("sync-boost"), LAB_THROTTLE_SETTING);
    assert_int_equal(lab_throttle_kind(""), LAB_THROTTLE_SETTING);
}

static void keep_point(void *context, const struct lab_point_row *point)
{
    *(int64_t *)context = point->id;
}

static void keep_throttled(void *context, const struct lab_series_row *row)
{
    *(int *)context = row->throttled;
}

/* Whether a series with one measurement, which has the reasons, is throttled. */
static bool is_throttled(struct lab_store *store, const char *reasons)
{
    char id[LAB_RUN_ID_SIZE], axes[64], conditions[128];
    static int number = 0;
    int64_t point = 0;
    int throttled = -1;
    snprintf(axes, sizeof axes, "{\"number\":%d}", number++);
    snprintf(conditions, sizeof conditions, "{\"throttle\":[%s]}", reasons);
    add_plain_run(store, id);
    lab_store_add_measurement(store, id,
                              &(struct lab_measurement_row){.metric = "bandwidth",
                                                            .unit = "GB/s",
                                                            .axes = axes,
                                                            .n = 1,
                                                            .median = 1,
                                                            .verified = -1,
                                                            .conditions = conditions});
    assert_int_equal(lab_store_start_run(store, id, 1, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_finish_run(store, id, LAB_STATUS_SUCCEEDED, 1, false, NULL, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_find_point(store, "transfer", "bandwidth", axes, keep_point, &point), LAB_STORE_OK);
    assert_int_equal(lab_store_series(store, &(struct lab_series_filter){.point = point, .model = "A CPU", .limit = 1},
                                      keep_throttled, &throttled),
                     LAB_STORE_OK);
    assert_int_not_equal(throttled, -1);
    return throttled;
}

STORE_TEST(series_follow_the_kind_of_each_reason)
{
    int facts = 0;
    for (const struct lab_throttle_reason *reason = lab_throttle_reasons; reason->name != NULL; reason++) {
        char text[64];
        snprintf(text, sizeof text, "\"%s\"", reason->name);
        assert_int_equal(is_throttled(fixture->store, text), reason->kind != LAB_THROTTLE_NORMAL);
        facts += reason->kind == LAB_THROTTLE_NORMAL;
    }
    assert_true(facts > 0);
    assert_false(is_throttled(fixture->store, ""));
    assert_true(is_throttled(fixture->store, "\"not yet known\""));
    assert_true(is_throttled(fixture->store, "\"power-cap\",\"thermal\""));
}
