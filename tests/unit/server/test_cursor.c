/* server/api/runs/cursor.c: cursors read back in their own scope and are parsed strictly. */
#include "api/runs/cursor.h"
#include "support/test.h"

#include <stdint.h>
#include <string.h>

static const char id[] = "0190b6a2-7c1e-7d0a-8f00-0123456789ab";

TEST(a_cursor_reads_back_in_its_scope)
{
    char text[LAB_CURSOR_SIZE], back[LAB_RUN_ID_SIZE];
    assert_true(lab_cursor_write("tag=a", id, text));
    assert_int_equal(strlen(text), LAB_CURSOR_SIZE - 1);
    assert_int_equal(lab_cursor_read("tag=a", text, back), LAB_CURSOR_OK);
    assert_string_equal(back, id);
}

TEST(another_scope_rejects_it)
{
    char text[LAB_CURSOR_SIZE], back[LAB_RUN_ID_SIZE];
    assert_true(lab_cursor_write("tag=a", id, text));
    assert_int_equal(lab_cursor_read("tag=b", text, back), LAB_CURSOR_OTHER_SCOPE);
    assert_int_equal(lab_cursor_read("", text, back), LAB_CURSOR_OTHER_SCOPE);
}

/* Every single character replaced by every other: the result is rejected, or is the cursor of another run. */
TEST(an_edited_cursor_is_rejected_or_names_another_run)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ";
    char text[LAB_CURSOR_SIZE], back[LAB_RUN_ID_SIZE], again[LAB_CURSOR_SIZE];
    int rejected = 0, others = 0;
    assert_true(lab_cursor_write("", id, text));
    for (size_t i = 0; i + 1 < LAB_CURSOR_SIZE; i++) {
        char kept = text[i];
        for (const char *c = alphabet; *c != '\0'; c++) {
            text[i] = *c;
            if (*c == kept)
                continue;
            if (lab_cursor_read("", text, back) != LAB_CURSOR_OK) {
                rejected++;
                continue;
            }
            others++;
            assert_string_not_equal(back, id);
            assert_true(lab_cursor_write("", back, again));
            assert_string_equal(again, text);
        }
        text[i] = kept;
    }
    assert_true(rejected > 0 && others > 0);
    assert_int_equal(lab_cursor_read("", text, back), LAB_CURSOR_OK);
}

TEST(malformed_cursors_and_ids_are_rejected)
{
    static const char *const ids[] = {"", "x", "0190b6a2-7c1e-7d0a-8f00-0123456789aB",
                                      "0190b6a27c1e-7d0a-8f00-0123456789ab0", "0190b6a2-7c1e-7d0a-8f00-0123456789ab0"};
    static const char *const texts[] = {"",
                                        "abc",
                                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAA", /* version 0 */
                                        "AgAAAAAAAAAAAAAAAAAAAAAAAAAA", /* version 2 */
                                        "AQAAAAAAAAAAAAAAAAAAAAAAAAA",
                                        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                                        "AQAAAAAAAAAAAAAAAAAAAAAAAAA=",
                                        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                                        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"};
    char text[LAB_CURSOR_SIZE], back[LAB_RUN_ID_SIZE];
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        assert_false(lab_cursor_write("", ids[i], text));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(lab_cursor_read("", texts[i], back), LAB_CURSOR_MALFORMED);
}
