/* kernels/core/order.c. */
#include "core/order.h"
#include "support/test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TEST(medians_are_those_of_the_sorted_values)
{
    unsigned random = 1;
    for (size_t count = 1; count <= 200; count++) {
        double values[200], sorted[200];
        for (size_t i = 0; i < count; i++) {
            random = random * 1103515245u + 12345u;
            values[i] = (double)(random >> 16 & (count % 3 == 0 ? 3u : 0xffffu)); /* every third: many equal values */
        }
        memcpy(sorted, values, sizeof sorted);
        lab_sort(sorted, count);
        for (size_t i = 1; i < count; i++)
            assert_true(sorted[i - 1] <= sorted[i]);
        assert_true(lab_median(values, count) == lab_quantile(sorted, count, 0.5));
        assert_true(lab_median(sorted, count) == lab_quantile(sorted, count, 0.5));
    }
}

TEST(quantiles_are_interpolated)
{
    const double sorted[] = {1, 2, 3, 5};
    assert_true(lab_quantile(sorted, 4, 0) == 1);
    assert_true(lab_quantile(sorted, 4, 0.25) == 1.75);
    assert_true(lab_quantile(sorted, 4, 0.5) == 2.5);
    assert_true(lab_quantile(sorted, 4, 1) == 5);
    assert_true(lab_quantile(sorted, 1, 0.3) == 1);
}

TEST(values_stay_sorted_when_some_are_inserted_and_removed)
{
    static const double values[] = {3, 1, 2, 2, 5, 4, 2};
    enum { COUNT = sizeof values / sizeof *values };
    double sorted[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        lab_sorted_insert(sorted, i, values[i]);
    static const double all[] = {1, 2, 2, 2, 3, 4, 5};
    assert_memory_equal(sorted, all, sizeof all);
    lab_sorted_remove(sorted, 7, 2);
    lab_sorted_remove(sorted, 6, 5);
    lab_sorted_remove(sorted, 5, 1);
    static const double rest[] = {2, 2, 3, 4};
    assert_memory_equal(sorted, rest, sizeof rest);
}
