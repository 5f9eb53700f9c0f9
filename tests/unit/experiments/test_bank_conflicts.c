/* The prediction of bank-conflicts: wavefronts by stride and width. */
#include "experiments/memory/bank_conflicts/bank_conflicts.h"
#include "support/test.h"

#include <stdint.h>

/* The greatest common divisor of the stride and the number of banks. */
TEST(words_conflict_by_the_common_divisor_of_stride_and_banks)
{
    for (uint32_t stride = 1; stride <= BANK_CONFLICTS_STRIDE_MAX; stride++)
        assert_int_equal(bank_conflicts_wavefronts(stride, 1), stride & -stride);
}

TEST(a_broadcast_has_no_conflicts)
{
    assert_int_equal(bank_conflicts_wavefronts(0, 1), 1);
}

TEST(wide_accesses_are_served_in_parts)
{
    static const struct {
        uint32_t words, stride, wavefronts;
    } cases[] = {{2, 1, 2}, {2, 2, 4}, {2, 3, 2}, {2, 16, 32}, {2, 32, 32}, {2, 33, 2},
                 {4, 1, 4}, {4, 2, 8}, {4, 3, 4}, {4, 8, 32},  {4, 32, 32}, {4, 33, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(bank_conflicts_wavefronts(cases[i].stride, cases[i].words), cases[i].wavefronts);
}
