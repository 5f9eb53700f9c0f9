/* server/analysis/cautions.c: what is said of a measurement. */
#include "analysis/cautions.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

/* Asserts the cautions of a measurement, whose members are added to those of a sound one: "name: text\n" of each. */
static void assert_cautions(const char *members, const char *wanted)
{
    char found[512] = "";
    size_t index;
    json_t *caution;
    json_t *measurement = json_loads(
        "{\"unit\":\"GB/s\",\"median\":50,\"q1\":49.5,\"q3\":50.5,\"stdev\":1,\"noise\":0.02,"
        "\"stop_reason\":\"converged\",\"conditions\":null,\"shape\":null,\"skipped\":null}",
        0, NULL);
    json_t *more = json_loads(members, 0, NULL);
    assert_non_null(more);
    json_object_update_recursive(measurement, more);
    json_t *cautions = lab_cautions_of(measurement);
    json_array_foreach(cautions, index, caution)
    {
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s: %s\n", json_string_value(json_object_get(caution, "name")),
                 json_string_value(json_object_get(caution, "text")));
    }
    assert_string_equal(found, wanted);
    json_decref(cautions);
    json_decref(more);
    json_decref(measurement);
}

TEST(a_sound_measurement_has_none)
{
    assert_cautions("{}", "");
    assert_cautions("{\"noise\":null,\"stop_reason\":null,\"median\":null}", "");
    assert_cautions("{\"skipped\":\"no peer access\",\"stop_reason\":\"drifting\",\"noise\":1}", "");
}

TEST(wide_quartiles_are_noisy)
{
    assert_cautions("{\"noise\":0.05}", "");
    assert_cautions("{\"noise\":0.0512}", "noisy: The samples vary: their quartiles are 5.1 % of the median apart.\n");
    assert_cautions("{\"noise\":0.5,\"stdev\":null}", ""); /* of a fit */
}

TEST(two_levels_count_where_they_move_the_quartiles)
{
#define MODES "\"shape\":{\"drift\":null,\"modes\":[49.0,54.2],\"mode_shares\":[0.389,0.611]}}"
    assert_cautions("{\"noise\":0.04," MODES, "");
    assert_cautions("{\"noise\":0.1," MODES,
                    "bimodal: The samples have two levels: 39 % of them are near 49.00 GB/s, 61 % near 54.20 GB/s.\n");
}

TEST(a_drift_counts_beyond_two_percent_and_its_uncertainty)
{
#define DRIFT(value, low, high) "\"shape\":{\"drift\":" value ",\"drift_low\":" low ",\"drift_high\":" high "}}"
    assert_cautions("{" DRIFT("-0.031", "-0.035", "-0.026"),
                    "drifting: The samples fell by 3.1 % within the point (2.6 % to 3.5 %).\n");
    assert_cautions("{" DRIFT("0.5", "0.1", "0.9"),
                    "drifting: The samples rose by 50.0 % within the point (10.0 % to 90.0 %).\n");
    assert_cautions("{\"stop_reason\":\"drifting\"," DRIFT("0.019", "0.018", "0.02"), ""); /* too small to matter */
    assert_cautions("{\"stop_reason\":\"drifting\"," DRIFT("0.05", "-0.01", "0.09"), "");  /* not clear */
    assert_cautions("{\"stop_reason\":\"drifting\"," DRIFT("0.05", "0", "0.09"), "");
}

TEST(without_a_size_sampling_has_ended_by_the_drift)
{
    static const char still[] = "drifting: The samples were still becoming higher or lower when sampling ended.\n";
    assert_cautions("{\"stop_reason\":\"drifting\"}", still);
    assert_cautions("{\"stop_reason\":\"drifting\"," DRIFT("null", "null", "null"), still);
    assert_cautions("{\"stop_reason\":\"drifting\",\"noise\":0.01}", still);
    assert_cautions("{\"stop_reason\":\"drifting\",\"noise\":0.0099}",
                    ""); /* the quartiles of a drift of 2 % are further apart */
}

TEST(the_power_limit_is_no_caution)
{
    assert_cautions("{\"conditions\":{\"throttle\":[]}}", "");
    assert_cautions("{\"conditions\":{\"throttle\":[\"power-cap\"]}}", "");
    assert_cautions("{\"conditions\":{\"throttle\":[\"thermal\",\"power-cap\",\"power-brake\"]}}",
                    "throttled: The device was throttled (thermal, power-brake), so the value may be too low.\n");
}

TEST(the_most_severe_comes_first)
{
    assert_cautions("{\"noise\":0.1,\"stop_reason\":\"drifting\",\"conditions\":{\"throttle\":[\"thermal\"]}}",
                    "throttled: The device was throttled (thermal), so the value may be too low.\n"
                    "drifting: The samples were still becoming higher or lower when sampling ended.\n"
                    "noisy: The samples vary: their quartiles are 10.0 % of the median apart.\n");
}
