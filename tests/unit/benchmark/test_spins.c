/* kernels/benchmark/spins.c, spin.h: what the records of kernels show, and which are right. */
#include "benchmark/spins.h"
#include "support/test.h"

#include "descriptor/parameters.h"

#include <string.h>

/* Two blocks of each kernel. */
#define KERNEL(k, from, between, to)                                                                                   \
    {k, 0, from, between},                                                                                             \
    {                                                                                                                  \
        k, 1, between, to                                                                                              \
    }

TEST(kernels_run_at_once_from_their_first_block_to_their_last)
{
    const struct lab_spin_record serial[] = {KERNEL(0, 100, 150, 200), KERNEL(1, 200, 250, 300)};
    const struct lab_spin_record overlapping[] = {KERNEL(0, 100, 150, 200), KERNEL(1, 190, 250, 300),
                                                  KERNEL(2, 290, 350, 400), KERNEL(3, 295, 350, 400)};
    assert_int_equal(lab_spins_at_once(serial, 2, 2), 1);
    assert_int_equal(lab_spins_at_once(overlapping, 2, 2), 2);
    assert_int_equal(lab_spins_at_once(overlapping, 4, 2), 3);
}

TEST(a_record_is_right_in_its_place_and_after_its_time)
{
    const struct lab_spin_record record = {.kernel = 1, .block = 1, .start_ns = 1000, .end_ns = 1500};
    assert_true(lab_spin_is_right(&record, 3, 2, 500));
    assert_false(lab_spin_is_right(&record, 3, 2, 501));
    assert_false(lab_spin_is_right(&record, 2, 2, 500));
    assert_false(lab_spin_is_right(&record, 4, 3, 501));
}

TEST(a_workload_has_a_launch_and_records_for_each_kernel)
{
    struct lab_workload workload = {0};
    lab_spins_describe(
        &workload,
        &(struct lab_spins){
            .kernel = "spin", .check = "spin_check", .count = 3, .blocks = 5, .shared_bytes = 1024, .seconds = 2e-6});
    assert_int_equal(workload.step_count, 3);
    assert_true(workload.waits);
    assert_int_equal(workload.records.bytes, 3 * 5 * sizeof(struct lab_spin_record));
    for (size_t k = 0; k < 3; k++) {
        assert_string_equal(workload.steps[k].kernel, "spin");
        assert_int_equal(workload.steps[k].launch.grid[0], 5);
        assert_int_equal(workload.steps[k].launch.shared_bytes, 1024);
        assert_int_equal(workload.steps[k].arguments[1].value.u32, k);
        assert_int_equal(workload.steps[k].arguments[2].value.u64, 2000);
    }
    assert_int_equal(workload.check.parameters[0], 5);
    assert_int_equal(workload.check.parameters[1], 2000);
}
