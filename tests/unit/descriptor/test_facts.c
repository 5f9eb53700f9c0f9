/* kernels/facts/facts.c: facts are read back as written, and unknown facts stay unknown. */
#include "facts/facts.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

TEST(facts_are_read_back_from_json)
{
    struct lab_device_facts facts, again;
    lab_facts_clear(&facts);
    snprintf(facts.id, sizeof facts.id, "GPU-1");
    snprintf(facts.backend, sizeof facts.backend, "cuda");
    snprintf(facts.name, sizeof facts.name, "A device");
    snprintf(facts.compute_capability, sizeof facts.compute_capability, "9.0");
    facts.ordinal = 3;
    facts.total_memory_bytes = 150000000000;
    facts.clock_hz = 1.98e9;
    facts.ecc_enabled = 1;
    facts.integrated = 0;
    facts.max_grid_dim[0] = 2147483647;
    facts.max_grid_dim[1] = facts.max_grid_dim[2] = 65535;
    facts.peer_count = 1;
    facts.peers[0] = (struct lab_peer_fact){
        .id = "GPU-2", .access = true, .rank = 0, .link = "NVLink x18", .peak_bytes_per_s = 450e9};

    json_t *json = lab_facts_to_json(&facts);
    assert_non_null(json);
    assert_true(lab_facts_from_json(json, &again));
    json_t *rewritten = lab_facts_to_json(&again);
    assert_true(json_equal(json, rewritten));
    assert_int_equal(again.total_memory_bytes, 150000000000);
    assert_int_equal(again.max_grid_dim[2], 65535);
    assert_int_equal(again.ecc_enabled, 1);
    assert_int_equal(again.integrated, 0);
    assert_string_equal(again.peers[0].link, "NVLink x18");
    assert_true(again.peers[0].peak_bytes_per_s == 450e9);
    json_decref(json);
    json_decref(rewritten);
}

TEST(unknown_facts_are_null)
{
    struct lab_device_facts facts, again;
    lab_facts_clear(&facts);
    snprintf(facts.id, sizeof facts.id, "x");
    json_t *json = lab_facts_to_json(&facts);
    const char *name;
    json_t *value;
    size_t count = 0;
    json_object_foreach(json_object_get(json, "properties"), name, value)
    {
        if (!json_is_null(value))
            fail_msg("%s is not null", name);
        assert_non_null(lab_facts_unit(name));
        count++;
    }
    assert_true(count > 50);
    assert_true(lab_facts_from_json(json, &again));
    assert_int_equal(again.l2_bytes, LAB_UNKNOWN);
    assert_int_equal(again.max_block_dim[1], LAB_UNKNOWN);
    assert_true(isnan(again.clock_hz));
    assert_null(lab_facts_unit("no such property"));
    json_decref(json);
}

TEST(json_that_is_not_a_device_is_refused)
{
    struct lab_device_facts facts;
    json_t *json = json_pack("{s:s}", "id", "x");
    assert_false(lab_facts_from_json(json, &facts));
    assert_false(lab_facts_from_json(NULL, &facts));
    assert_int_equal(facts.l2_bytes, LAB_UNKNOWN);
    json_decref(json);
}
