/* server/client/output/prose.c: the explanations of tests/prose.json in a terminal, and their width. */
#include "client/output/prose.h"
#include "core/json_members.h"
#include "support/test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Prints the explanation; the caller frees the text. */
static char *print(const char *explanation, size_t width)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    lab_print_prose(out, explanation, width);
    fclose(out);
    return text;
}

TEST(each_part_of_an_explanation_is_readable_text)
{
    json_t *cases = json_load_file(LAB_TEST_SOURCE "/prose.json", 0, NULL), *each;
    size_t index;
    assert_true(json_array_size(cases) > 0);
    json_array_foreach(cases, index, each)
    {
        char *text = print(lab_text_of(each, "text"), 1000);
        assert_string_equal(text, lab_text_of(each, "terminal"));
        free(text);
    }
    json_decref(cases);
}

TEST(lines_are_wrapped_behind_the_mark_of_their_item)
{
    char *text = print("one two three four\n\n- one two three four\n  - five six seven\n\n10. one two three four", 14);
    assert_string_equal(text,
                        "one two three\n"
                        "four\n"
                        "\n"
                        "- one two\n"
                        "  three four\n"
                        "  - five six\n"
                        "    seven\n"
                        "\n"
                        "10. one two\n"
                        "    three four\n"
                        "\n");
    free(text);
}

/* What may begin a block or a piece, many times and at the end of the text: every byte is read once and none behind the
 * end. */
TEST(a_text_of_marks_ends)
{
    static const char *const parts[] = {"*",   "**a ",       "`",       "[",       "[a](",    "$",    "\\",
                                        "|",   "|a|\n|-|\n", "- ",      "- a\n\n", "```\n",   "$$\n", "$$a",
                                        "## ", "9. ",        "$\\frac", "$x^{",    "\\sqrt{", "{",    "\xff"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char repeated[2048] = "";
        while (strlen(repeated) + strlen(parts[i]) < sizeof repeated)
            strcat(repeated, parts[i]);
        char *text = print(repeated, 100), *after = print("a\n\n- b\n", 100);
        assert_string_equal(after, "a\n\n- b\n\n");
        assert_true(strlen(text) > 0);
        free(text);
        free(after);
    }
}
