/* kernels/core/base64.c: the examples of RFC 4648, and texts that are not Base64. */
#include "core/base64.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text, *bytes;
} examples[] = {{"", ""},
                {"Zg==", "f"},
                {"Zm8=", "fo"},
                {"Zm9v", "foo"},
                {"Zm9vYg==", "foob"},
                {"Zm9vYmE=", "fooba"},
                {"Zm9vYmFy", "foobar"},
                {"+/+/", "\xfb\xff\xbf"}};

TEST(bytes_become_texts)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char *text = lab_base64_encode(examples[i].bytes, strlen(examples[i].bytes));
        assert_string_equal(text, examples[i].text);
        free(text);
    }
}

TEST(texts_become_bytes)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        unsigned char *bytes;
        size_t size;
        assert_true(lab_base64_decode(examples[i].text, strlen(examples[i].text), &bytes, &size));
        assert_int_equal(size, strlen(examples[i].bytes));
        assert_memory_equal(bytes, examples[i].bytes, size);
        free(bytes);
    }
}

TEST(other_texts_are_refused)
{
    static const char *const texts[] = {"Zg=", "Zg", "Z===", "Zm9v*AAA", "Zg==Zg==", "Zm 9"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        unsigned char *bytes;
        size_t size;
        assert_false(lab_base64_decode(texts[i], strlen(texts[i]), &bytes, &size));
    }
}

/* The text of section 5 for each of the examples: without padding, with its alphabet. */
static void write_for_url(const char *standard, char text[16])
{
    snprintf(text, 16, "%.*s", (int)strcspn(standard, "="), standard);
    for (char *c = text; *c != '\0'; c++)
        *c = (char)(*c == '+' ? '-' : *c == '/' ? '_' : *c);
}

TEST(texts_for_urls_are_written_and_read)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char expected[16], text[16], bytes[16];
        size_t size = strlen(examples[i].bytes);
        write_for_url(examples[i].text, expected);
        assert_int_equal(LAB_BASE64URL_LENGTH(size), strlen(expected));
        lab_base64url_write(examples[i].bytes, size, text);
        assert_string_equal(text, expected);
        assert_true(lab_base64url_read(text, bytes, size));
        assert_memory_equal(bytes, examples[i].bytes, size);
    }
}

TEST(other_texts_for_urls_are_refused)
{
    static const char *const texts[] = {"", "Zm9", "Zm9vY", "Zm9+", "Zm9/", "Zg==", "Zm 9"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char bytes[3];
        assert_false(lab_base64url_read(texts[i], bytes, sizeof bytes));
    }
}
