/* kernels/core/text.c: valid and invalid UTF-8 characters, cutting of texts, and JSON pointers. */
#include "core/text.h"
#include "support/test.h"

#include <stdint.h>
#include <string.h>

static const struct {
    const char *text;
    size_t length; /* 0: not a character */
} characters[] = {
    {"a", 1},
    {"\x7f", 1},
    {"\xc2\x80", 2},         /* U+0080, the first of two bytes */
    {"\xdf\xbf", 2},         /* U+07FF, the last of two bytes */
    {"\xe0\xa0\x80", 3},     /* U+0800 */
    {"\xed\x9f\xbf", 3},     /* U+D7FF, the last before the surrogates */
    {"\xee\x80\x80", 3},     /* U+E000, the first after them */
    {"\xef\xbf\xbf", 3},     /* U+FFFF */
    {"\xf0\x90\x80\x80", 4}, /* U+10000 */
    {"\xf4\x8f\xbf\xbf", 4}, /* U+10FFFF, the last of all */
    {"\x80", 0},             /* a continuation byte alone */
    {"\xbf", 0},
    {"\xc0\x80", 0}, /* overlong: NUL in two bytes */
    {"\xc1\xbf", 0},
    {"\xe0\x9f\xbf", 0}, /* overlong: U+07FF in three bytes */
    {"\xf0\x8f\xbf\xbf", 0},
    {"\xed\xa0\x80", 0}, /* U+D800 and U+DFFF: surrogates */
    {"\xed\xbf\xbf", 0},
    {"\xf4\x90\x80\x80", 0}, /* U+110000 */
    {"\xf5\x80\x80\x80", 0},
    {"\xff", 0},
    {"\xc3", 0}, /* cut inside the character */
    {"\xe2\x82", 0},
    {"\xf0\x9f\x98", 0},
    {"\xc3(", 0}, /* the next byte belongs to another character */
    {"\xe2\x82(", 0},
    {"\xf0\x9f\x98(", 0},
};

TEST(test_which_bytes_are_a_character)
{
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; i++) {
        const char *text = characters[i].text;
        size_t size = strlen(text), length = lab_utf8_length(text, size);
        if (length != characters[i].length || lab_utf8_is_valid(text, size) != (length > 0))
            fail_msg("character %zu has length %zu", i, length);
        for (size_t cut = 1; cut < length; cut++)
            if (lab_utf8_length(text, cut) != 0 || lab_utf8_is_valid(text, cut))
                fail_msg("character %zu is accepted when cut to %zu bytes", i, cut);
    }
    assert_int_equal(lab_utf8_length("", 1), 1); /* NUL */
    assert_int_equal(lab_utf8_length("a", 0), 0);
    assert_true(lab_utf8_is_valid("", 0));
    assert_true(lab_utf8_is_valid("a\0b", 3));
    assert_false(lab_utf8_is_valid("ab\xc3", 3));
}

TEST(test_lengths_count_characters)
{
    const char *text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"; /* 1 + 2 + 3 + 4 + 1 bytes */
    assert_int_equal(lab_utf8_count(text, strlen(text)), 5);
    assert_int_equal(lab_utf8_count(text, 3), 2);
    assert_int_equal(lab_utf8_count("", 0), 0);
    static const size_t bytes[] = {0, 1, 3, 6, 10, 11, 11};
    for (size_t count = 0; count < sizeof bytes / sizeof bytes[0]; count++)
        assert_int_equal(lab_utf8_prefix(text, count), bytes[count]);
}

TEST(test_a_copy_ends_with_a_whole_character)
{
    const char *text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z";
    static const size_t bytes[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11}; /* expected length, indexed by `space` */
    for (size_t space = 0; space < sizeof bytes / sizeof bytes[0]; space++) {
        char copy[16];
        memset(copy, '#', sizeof copy);
        lab_utf8_copy(copy, space + 1, text);
        assert_int_equal(strlen(copy), bytes[space]);
        assert_memory_equal(copy, text, bytes[space]);
        assert_int_equal(copy[space + 1], '#');
    }
}

TEST(test_invalid_bytes_are_dropped)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"plain", "plain"},
        {"a\xc3\xa4", "a\xc3\xa4"},
        {"a\xc3", "a"},
        {"\xe2\x82z", "z"},
        {"\x80\x80z\xff", "z"},
        {"\xed\xa0\x80-\xc0\x80-\xf0\x9f\x98\x80", "--\xf0\x9f\x98\x80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[32];
        strcpy(text, cases[i][0]);
        lab_utf8_drop_invalid(text);
        assert_string_equal(text, cases[i][1]);
    }
}

TEST(test_invalid_bytes_are_replaced)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"a\xc3\xa4", "a\xc3\xa4"},
        {"caf\xe9", "caf?"},
        {"\xe2\x82z", "??z"},
        {"\x80z\xff\xf0\x9f\x98\x80", "?z?\xf0\x9f\x98\x80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[32];
        strcpy(text, cases[i][0]);
        lab_utf8_replace_invalid(text);
        assert_string_equal(text, cases[i][1]);
    }
}

TEST(test_a_byte_order_mark_is_skipped)
{
    assert_string_equal(lab_utf8_after_mark("\xef\xbb\xbflocal"), "local");
    assert_string_equal(lab_utf8_after_mark("\xef\xbb\xbf"), "");
    assert_string_equal(lab_utf8_after_mark("\xef\xbb"), "\xef\xbb");
    assert_string_equal(lab_utf8_after_mark("local"), "local");
}

TEST(test_a_pointer_escapes_its_tokens)
{
    char pointer[64] = "";
    assert_true(lab_pointer_append(pointer, sizeof pointer, "query", 5));
    assert_true(lab_pointer_append(pointer, sizeof pointer, "a~/b", 4));
    assert_true(lab_pointer_append(pointer, sizeof pointer, "~1", 2));
    assert_true(lab_pointer_append(pointer, sizeof pointer, "", 0));
    assert_true(lab_pointer_append_index(pointer, sizeof pointer, 12));
    assert_string_equal(pointer, "/query/a~0~1b/~01//12");
}

/* Appends `token` to "/p" in a buffer of `size` bytes and checks the result. */
static void expect_append(const char *token, size_t size, bool fits, const char *expected)
{
    char pointer[32];
    memset(pointer, '#', sizeof pointer);
    strcpy(pointer, "/p");
    assert_int_equal(lab_pointer_append(pointer, size, token, strlen(token)), fits);
    assert_string_equal(pointer, expected);
    assert_int_equal(pointer[size], '#');
}

TEST(test_a_pointer_is_cut_at_a_character)
{
    expect_append("abc", 7, true, "/p/abc");
    expect_append("abc", 6, false, "/p/ab");
    expect_append("a/", 7, true, "/p/a~1");
    expect_append("a/", 6, false, "/p/a"); /* "~1" is not cut into "~" */
    expect_append("a\xc3\xa4", 7, true, "/p/a\xc3\xa4");
    expect_append("a\xc3\xa4", 6, false, "/p/a"); /* the two-byte character is not cut */
    expect_append("", 4, true, "/p/");
    expect_append("a", 4, false, "/p/");
    expect_append("a", 3, false, "/p");

    char pointer[6] = "/p";
    assert_false(lab_pointer_append_index(pointer, sizeof pointer, 100)); /* "/p/10" would name another element */
    assert_string_equal(pointer, "/p");
    assert_true(lab_pointer_append_index(pointer, sizeof pointer, 10));
    assert_string_equal(pointer, "/p/10");
}

TEST(control_characters_are_found)
{
    assert_int_equal(lab_utf8_control("a b\u00a0\u00e4"), 7);
    assert_int_equal(lab_utf8_control(""), 0);
    assert_int_equal(lab_utf8_control("ab\tc"), 2);
    assert_int_equal(lab_utf8_control("ab\x7f"), 2);
    assert_int_equal(lab_utf8_control("a\xc2\x80"), 1);
    assert_int_equal(lab_utf8_control("a\xc2\x9f"), 1);
}

TEST(control_characters_are_replaced_byte_for_byte)
{
    char text[] =
        "\x1b[2J\xc2\x9f"
        "b\x7f\xc3\xa4\n";
    lab_utf8_replace_control(text, '?');
    assert_string_equal(text, "?[2J??b?\xc3\xa4?");
}
