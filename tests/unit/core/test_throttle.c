/* core/throttle.h: what each reason of throttling says of a value. */
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

TEST(only_facts_are_no_cautions)
{
    int facts = 0;
    for (const struct lab_throttle_reason *reason = lab_throttle_reasons; reason->name != NULL; reason++) {
        json_t *reasons = json_pack("[s]", reason->name), *cautions = lab_throttle_cautions(reasons);
        bool is_fact = reason->kind == LAB_THROTTLE_NORMAL;
        assert_int_equal(json_array_size(cautions), !is_fact);
        facts += is_fact;
        json_decref(cautions);
        json_decref(reasons);
    }
    assert_true(facts > 0);
}
