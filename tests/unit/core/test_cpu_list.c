/* kernels/core/cpu_list.c: lists as the kernel writes them, and texts that are not lists. */
#include "core/cpu_list.h"
#include "support/test.h"

#include <stdint.h>

TEST(lists_are_read)
{
    cpu_set_t cpus;
    assert_true(lab_cpu_list_parse("0-2,5,7-8", &cpus));
    assert_int_equal(CPU_COUNT(&cpus), 6);
    assert_true(CPU_ISSET(2, &cpus) && CPU_ISSET(5, &cpus) && CPU_ISSET(8, &cpus) && !CPU_ISSET(6, &cpus));
    assert_true(lab_cpu_list_parse("3\n", &cpus));
    assert_int_equal(CPU_COUNT(&cpus), 1);
    assert_true(CPU_ISSET(3, &cpus));
    assert_true(lab_cpu_list_parse("1,1000000-1000001", &cpus)); /* more than a set has */
    assert_int_equal(CPU_COUNT(&cpus), 1);
}

TEST(other_texts_are_refused)
{
    static const char *const wrong[] = {"", "\n", "a", "1-", "-1", "3-1", "1;2", "1,,2", "0-3 ", "1000000"};
    cpu_set_t cpus;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(lab_cpu_list_parse(wrong[i], &cpus));
}
