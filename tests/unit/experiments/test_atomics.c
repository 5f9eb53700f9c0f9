/* kernels/experiments/execution/atomics: the counts of the keys, and the predicted limits on an H200. */
#include "descriptor/parameters.h"
#include "experiments/execution/atomics/atomics.h"
#include "experiments/execution/atomics/workload.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 24 };

static struct lab_device_facts h200(void)
{
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    strcpy(facts.backend, "cuda");
    facts.multiprocessors = 132;
    facts.clock_hz = 1.98e9;
    facts.memory_peak_bytes_per_s = 4.8e12;
    facts.shared_per_block_optin_bytes = 232448;
    facts.shared_per_multiprocessor_bytes = 233472;
    facts.reserved_shared_per_block_bytes = 1024;
    return facts;
}

static struct lab_workload describe(int64_t variant, int64_t type, int64_t addresses, int64_t distribution)
{
    struct lab_device_facts facts = h200();
    struct lab_workload workload = {0};
    struct lab_point point = {.values = {[VARIANT] = variant,
                                         [TYPE] = type,
                                         [ADDRESSES] = addresses,
                                         [DISTRIBUTION] = distribution,
                                         [ELEMENTS] = 1 << BITS}};
    atomics_describe(NULL, &facts, &point, &workload);
    return workload;
}

TEST(counts_are_those_of_the_keys)
{
    enum { SMALL_BITS = 12, ADDRESSES_MAX = 5000 };
    static const uint64_t addresses[] = {1, 3, 64, 1000, ADDRESSES_MAX};
    for (uint64_t distribution = ATOMICS_UNIFORM; distribution <= ATOMICS_NEIGHBOURING; distribution++)
        for (size_t a = 0; a < sizeof addresses / sizeof *addresses; a++) {
            const uint64_t parameters[3] = {addresses[a], distribution, SMALL_BITS};
            uint32_t counts[ADDRESSES_MAX] = {0};
            for (uint64_t i = 0; i < 1 << SMALL_BITS; i++)
                counts[atomics_key(i, 7, parameters)]++;
            for (uint64_t address = 0; address < addresses[a]; address++)
                assert_int_equal(atomics_expected(address, 0, parameters), counts[address]);
        }
}

TEST(a_quarter_of_skewed_data_has_the_first_of_256_addresses)
{
    const uint64_t parameters[3] = {256, ATOMICS_SKEWED, BITS};
    assert_int_equal(atomics_count(0, parameters), 1 << (BITS - 2));
}

TEST(limits_follow_from_the_most_frequent_address)
{
    static const struct {
        int64_t variant, type, addresses, distribution;
        double rate; /* 10^9 additions per second */
    } cases[] = {
        {GLOBAL, ATOMICS_INT32, 1, ATOMICS_UNIFORM, 1.98},
        {GLOBAL, ATOMICS_INT32, 256, ATOMICS_UNIFORM, 256 * 1.98},
        {GLOBAL, ATOMICS_INT32, 256, ATOMICS_SKEWED, 4 * 1.98},
        {GLOBAL, ATOMICS_INT32, 1 << 20, ATOMICS_UNIFORM, 1200},
        {KNOWN_ADDRESS, ATOMICS_INT32, 1, ATOMICS_UNIFORM, 32 * 1.98},
        {KNOWN_ADDRESS, ATOMICS_FP32, 1, ATOMICS_UNIFORM, 1.98},
        {AGGREGATED, ATOMICS_FP32, 1, ATOMICS_UNIFORM, 32 * 1.98},
        {SHARED, ATOMICS_INT32, 1, ATOMICS_UNIFORM, 1200},
        {SHARED, ATOMICS_FP32, 1, ATOMICS_UNIFORM, 132 * 1.98},
        {SHARED_PER_WARP, ATOMICS_FP32, 1, ATOMICS_UNIFORM, 132 * 1.98},
        {PLAIN, ATOMICS_INT32, 1 << 20, ATOMICS_UNIFORM, 1200},
        {CAS, ATOMICS_FP32, 1, ATOMICS_UNIFORM, 1.98},
        {LOCK, ATOMICS_INT32, 1, ATOMICS_UNIFORM, 1.98 / 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload workload =
            describe(cases[i].variant, cases[i].type, cases[i].addresses, cases[i].distribution);
        assert_int_equal(workload.figure_count, cases[i].variant == PLAIN ? 2 : 1);
        assert_true(fabs(workload.figures[workload.figure_count - 1].value / cases[i].rate - 1) < 1e-3);
    }
}

TEST(copies_decide_how_many_blocks_are_resident)
{
    static const struct {
        int64_t variant, addresses;
        size_t shared_bytes;
        uint32_t blocks_per_multiprocessor;
    } cases[] = {
        {GLOBAL, 4096, 0, 8},
        {SHARED, 256, 1024, 8},
        {SHARED, 16384, 65536, 3},
        {SHARED_PER_WARP, 4096, 131072, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload workload = describe(cases[i].variant, ATOMICS_INT32, cases[i].addresses, ATOMICS_UNIFORM);
        assert_string_equal(workload.skipped, "");
        assert_int_equal(workload.steps[0].launch.shared_bytes, cases[i].shared_bytes);
        assert_int_equal(workload.steps[0].launch.grid[0], 132 * cases[i].blocks_per_multiprocessor);
    }
}

TEST(copies_that_do_not_fit_are_skipped)
{
    struct lab_workload workload = describe(SHARED, ATOMICS_INT32, 65536, ATOMICS_UNIFORM);
    assert_string_equal(workload.skipped, "the copies of the counters need 262144 bytes; at most 232448 are allowed");
}

TEST(lanes_with_the_same_address_add_once_without_atomic_operations)
{
    static const struct {
        int64_t addresses, distribution;
        double most;
    } cases[] = {
        {1, ATOMICS_UNIFORM, 1 / 32.0}, {4, ATOMICS_NEIGHBOURING, 4 / 32.0},
        {256, ATOMICS_NEIGHBOURING, 1}, {2, ATOMICS_UNIFORM, 2 * (1 - 0x1p-32) / 32},
        {256, ATOMICS_UNIFORM, 0.9419}, /* 256 (1 - (255 / 256)^32) / 32 */
        {1 << 20, ATOMICS_UNIFORM, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload workload = describe(PLAIN, ATOMICS_INT32, cases[i].addresses, cases[i].distribution);
        assert_string_equal(workload.figures[0].metric, "survived_bound");
        assert_true(fabs(workload.figures[0].value / cases[i].most - 1) < 1e-3);
    }
}

TEST(a_lost_addition_is_accepted_and_a_surplus_one_is_not)
{
    const uint64_t parameters[3] = {4, ATOMICS_UNIFORM, BITS};
    uint32_t count = atomics_count(0, parameters);
    assert_true(atomics_lost(1, 0, 0, parameters) && atomics_lost(count, 0, 0, parameters));
    assert_false(atomics_lost(0, 0, 0, parameters) || atomics_lost(count + 1, 0, 0, parameters));
    const uint64_t sparse[3] = {1 << 20, ATOMICS_SKEWED, ATOMICS_BITS_MIN}; /* most addresses have no element */
    assert_int_equal(atomics_count(1 << 19, sparse), 0);
    assert_true(atomics_lost(0, 1 << 19, 0, sparse));
    assert_false(atomics_lost(1, 1 << 19, 0, sparse));
}

TEST(tries_in_vain_make_a_point_too_long)
{
    struct lab_device_facts facts = h200();
    struct lab_point point = {.values = {[VARIANT] = LOCK, [ADDRESSES] = 1, [ELEMENTS] = 1 << BITS}};
    struct lab_workload many = {0}, few = {0};
    atomics_describe(NULL, &facts, &point, &many);
    point.values[ELEMENTS] = 1 << 13;
    atomics_describe(NULL, &facts, &point, &few);
    assert_true(lab_workload_too_long(&many, 60));
    assert_false(lab_workload_too_long(&few, 0.2));
}
