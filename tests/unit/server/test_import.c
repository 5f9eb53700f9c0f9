/* server/api/exchange/import_run.c: what is said where memory runs out, which the store knows nothing of. */
#include "api/exchange/import_run.h"
#include "support/test.h"

TEST(an_import_says_that_memory_ran_out)
{
    struct lab_import_run run = {.memory.failed = true};
    enum lab_import_outcome outcome;
    struct lab_error error = {0};
    assert_int_equal(lab_store_failed("an earlier failure in %s", "a file"), LAB_STORE_FAILED);
    assert_string_equal(lab_store_message(NULL), "an earlier failure in a file");
    assert_int_equal(lab_import_run_store(&run, NULL, &outcome, &error), LAB_STORE_FAILED);
    assert_int_equal(outcome, LAB_IMPORT_REFUSED);
    assert_string_equal(lab_store_message(NULL), "out of memory");
}
