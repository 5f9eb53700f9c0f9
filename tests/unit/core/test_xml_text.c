/* kernels/core/xml_text.c: no text becomes markup, and what XML cannot have is replaced. */
#include "core/xml_text.h"

#include "support/test.h"

#include <stdlib.h>

static void assert_written(const char *text, size_t size, const char *expected)
{
    char *written = NULL;
    size_t length;
    FILE *out = open_memstream(&written, &length);
    assert_non_null(out);
    lab_xml_write(out, text, size);
    fclose(out);
    assert_string_equal(written, expected);
    free(written);
}

TEST(markup_is_escaped)
{
    assert_written("<a b='c' d=\"e\">&amp;</a>", 24, "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;amp;&lt;/a&gt;");
    assert_written("]]>", 3, "]]&gt;");
    assert_written("caf\xC3\xA9\t\n", 7, "caf\xC3\xA9\t\n");
    assert_written("abc", 2, "ab");
    assert_written("", 0, "");
}

TEST(what_xml_cannot_have_is_replaced)
{
    assert_written(
        "a\x07\x1B"
        "b",
        4,
        "a\xEF\xBF\xBD\xEF\xBF\xBD"
        "b");
    assert_written("a\0b", 3,
                   "a\xEF\xBF\xBD"
                   "b");
    assert_written("\xEF\xBF\xBE\xEF\xBF\xBF", 6, "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_written("\xFF\xC3", 2, "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_written("\xEF\xBF\xBD", 3, "\xEF\xBF\xBD");
}
