/* kernels/core/run_status.c: which text is the name of which status. */
#include "core/run_status.h"
#include "support/test.h"

TEST(a_name_is_that_of_one_status)
{
    for (enum lab_status named = 0; named < LAB_STATUS_COUNT; named++)
        for (enum lab_status status = 0; status < LAB_STATUS_COUNT; status++)
            assert_int_equal(lab_status_is(lab_status_name(named), status), named == status);
}

TEST(other_texts_are_the_name_of_no_status)
{
    static const char *const texts[] = {NULL, "", "Failed", "fail", "failed "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (enum lab_status status = 0; status < LAB_STATUS_COUNT; status++)
            assert_false(lab_status_is(texts[i], status));
}
