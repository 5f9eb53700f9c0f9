/* server/api/siphash.c and cursor.c: the hash against its published vectors, and cursors that nobody can change. */
#include "api/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct lab_cursor_key key = {.bytes = {1, 2, 3}}, other_key = {.bytes = {1, 2, 4}};
static const char id[] = "0190b6a2-7c1e-7d0a-8f00-0123456789ab";

/* Key 00 01 … 0f and messages of 00 01 02 …, from the appendix of the paper and its reference implementation. */
static void siphash_gives_the_published_values(void **state)
{
    (void)state;
    unsigned char bytes[16];
    for (unsigned char i = 0; i < sizeof bytes; i++)
        bytes[i] = i;
    assert_true(lab_siphash(bytes, bytes, 0) == 0x726fdb47dd0e0e31U);
    assert_true(lab_siphash(bytes, bytes, 1) == 0x74f839c593dc67fdU);
    assert_true(lab_siphash(bytes, bytes, 8) == 0x93f5f5799a932462U);
    assert_true(lab_siphash(bytes, bytes, 15) == 0xa129ca6149be45e5U);
}

static void a_cursor_reads_back_in_its_scope(void **state)
{
    (void)state;
    char text[LAB_CURSOR_SIZE], back[LAB_RUN_ID_SIZE];
    assert_true(lab_cursor_write(&key, "tag=a", id, text));
    assert_int_equal(strlen(text), LAB_CURSOR_SIZE - 1);
    assert_null(strstr(text, id));
    assert_true(lab_cursor_read(&key, "tag=a", text, back));
    assert_string_equal(back, id);
}

static void another_scope_or_key_refuses_it(void **state)
{
    (void)state;
    char text[LAB_CURSOR_SIZE], back[LAB_RUN_ID_SIZE];
    assert_true(lab_cursor_write(&key, "tag=a", id, text));
    assert_false(lab_cursor_read(&key, "tag=b", text, back));
    assert_false(lab_cursor_read(&key, "", text, back));
    assert_false(lab_cursor_read(&other_key, "tag=a", text, back));
}

static void every_changed_character_is_noticed(void **state)
{
    (void)state;
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ";
    char text[LAB_CURSOR_SIZE], back[LAB_RUN_ID_SIZE];
    assert_true(lab_cursor_write(&key, "", id, text));
    for (size_t i = 0; i + 1 < LAB_CURSOR_SIZE; i++) {
        char kept = text[i];
        for (const char *c = alphabet; *c != '\0'; c++) {
            text[i] = *c;
            if (*c != kept && lab_cursor_read(&key, "", text, back))
                fail_msg("'%c' for '%c' at %zu was taken", *c, kept, i);
        }
        text[i] = kept;
    }
    assert_true(lab_cursor_read(&key, "", text, back));
}

static void what_is_no_cursor_or_id_is_refused(void **state)
{
    (void)state;
    static const char *const ids[] = {"", "x", "0190b6a2-7c1e-7d0a-8f00-0123456789aB",
                                      "0190b6a27c1e-7d0a-8f00-0123456789ab0", "0190b6a2-7c1e-7d0a-8f00-0123456789ab0"};
    static const char *const texts[] = {"", "abc", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"};
    char text[LAB_CURSOR_SIZE], back[LAB_RUN_ID_SIZE];
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        assert_false(lab_cursor_write(&key, "", ids[i], text));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(lab_cursor_read(&key, "", texts[i], back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siphash_gives_the_published_values), cmocka_unit_test(a_cursor_reads_back_in_its_scope),
        cmocka_unit_test(another_scope_or_key_refuses_it),    cmocka_unit_test(every_changed_character_is_noticed),
        cmocka_unit_test(what_is_no_cursor_or_id_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
