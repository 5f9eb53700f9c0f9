/* server/analysis/counter_changes.c: the hardware counters that differ between two measurements of a point. */
#include "analysis/counter_changes.h"

#include "support/test.h"

static json_t *changes_of(const char *base, const char *head)
{
    json_t *of_base = json_loads(base, JSON_DECODE_ANY, NULL), *of_head = json_loads(head, JSON_DECODE_ANY, NULL);
    json_t *changes = lab_counter_changes(of_base, of_head);
    json_decref(of_base);
    json_decref(of_head);
    return changes;
}

static void assert_changes(const char *base, const char *head, const char *expected)
{
    json_t *changes = changes_of(base, head), *wanted = json_loads(expected, JSON_DECODE_ANY, NULL);
    if (!json_equal(changes, wanted))
        fail_msg("%s", json_dumps(changes, JSON_ENCODE_ANY));
    json_decref(changes);
    json_decref(wanted);
}

#define COUNTER(name, value) "{\"name\":\"" name "\",\"value\":" value ",\"unit\":\"1\",\"metric\":\"m\"}"

TEST(counters_more_than_a_tenth_apart_are_listed)
{
    assert_changes(
        "[" COUNTER("instructions", "100.0") "," COUNTER("branches", "100.0") "," COUNTER("l2_hits", "0.0") "]",
        "[" COUNTER("branches", "80.0") "," COUNTER("instructions", "110.0") "," COUNTER("l2_hits", "3.0") "]",
        "[{\"name\":\"branches\",\"title\":\"Branches\",\"unit\":\"1\",\"base\":100.0,\"head\":80.0},"
        "{\"name\":\"l2_hits\",\"title\":\"L2 sectors found\",\"unit\":\"1\",\"base\":0.0,\"head\":3.0}]");
}

TEST(a_share_of_a_few_hundredths_is_noise)
{
    assert_changes("[" COUNTER("occupancy", "0.02") "," COUNTER("l1_hit_rate", "0.1") "]",
                   "[" COUNTER("occupancy", "0.04") "," COUNTER("l1_hit_rate", "0.2") "]",
                   "[{\"name\":\"l1_hit_rate\",\"title\":\"L1 hit rate\",\"unit\":\"1\",\"base\":0.1,\"head\":0.2}]");
}

#define BYTES(name, value) "{\"name\":\"" name "\",\"value\":" value ",\"unit\":\"B\",\"metric\":\"m\"}"

TEST(a_reason_to_wait_is_judged_by_its_share_of_the_warps)
{
    assert_changes("[" COUNTER("stall_selected", "1.0") "," COUNTER("stall_long_scoreboard", "8.0") "," COUNTER(
                       "stall_wait", "0.20") "," COUNTER("stall_barrier", "0.5") "]",
                   "[" COUNTER("stall_selected", "1.0") "," COUNTER("stall_long_scoreboard", "7.5") "," COUNTER(
                       "stall_wait", "0.24") "," COUNTER("stall_barrier", "1.0") "]",
                   "[{\"name\":\"stall_barrier\",\"title\":\"Cycles waiting at a barrier\",\"unit\":\"1\",\"base\":0.5,"
                   "\"head\":1.0}]");
}

TEST(bytes_of_device_memory_are_judged_by_their_share_of_all)
{
    assert_changes("[" BYTES("dram_read_bytes", "1e8") "," BYTES("dram_written_bytes", "8e5") "]",
                   "[" BYTES("dram_read_bytes", "1e8") "," BYTES("dram_written_bytes", "1e6") "]", "[]");
    assert_changes("[" BYTES("dram_read_bytes", "1e8") "," BYTES("dram_written_bytes", "8e5") "]",
                   "[" BYTES("dram_read_bytes", "1e8") "," BYTES("dram_written_bytes", "1e7") "]",
                   "[{\"name\":\"dram_written_bytes\",\"title\":\"DRAM bytes written\",\"unit\":\"B\",\"base\":8e5,"
                   "\"head\":1e7}]");
}

TEST(bytes_have_no_noise_of_a_share_and_the_time_of_counting_is_no_cause)
{
    assert_changes(
        "[" BYTES("time", "0.001") "," BYTES("local_read_bytes", "0.001") "]",
        "[" BYTES("time", "0.002") "," BYTES("local_read_bytes", "0.002") "]",
        "[{\"name\":\"local_read_bytes\",\"title\":\"Local memory bytes read\",\"unit\":\"B\",\"base\":0.001,"
        "\"head\":0.002}]");
}

TEST(a_counter_that_one_side_lacks_is_left_out)
{
    assert_changes("[" COUNTER("branches", "100.0") "]", "[]", "[]");
    assert_changes("[]", "[" COUNTER("branches", "100.0") "]", "[]");
}

TEST(a_side_that_was_not_counted_gives_null)
{
    assert_changes("null", "[]", "null");
    assert_changes("[]", "null", "null");
}
