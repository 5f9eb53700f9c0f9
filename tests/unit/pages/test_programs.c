/* kernels/pages/programs.c: the row that is made of a program's first comment, and what is said of one that has another
 * form. */
#include "pages/programs.h"
#include "support/expect_abort.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static struct lab_source_file file = {.path = "kernels/programs/two-words.cu"};

/* The row of the file. */
static char *row(void)
{
    char *written = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    lab_program_write(&file, out);
    assert_int_equal(fclose(out), 0);
    return written;
}

static void expect_row(const char *text, const char *expected)
{
    file.text = text;
    char *written = row();
    if (expected != NULL)
        assert_string_equal(written, expected);
    free(written);
}

static void write_row(void)
{
    free(row());
}

/* Expects that the program ends with this message about the file, which has this text. */
static void expect_message(const char *text, const char *message)
{
    file.text = text;
    expect_failure(write_row, lab_keep_format("%s:%s\n", file.path, message));
}

TEST(a_row_has_title_text_lessons_file_and_source)
{
    expect_row("/* A title\n *\n * One\n * two.\n *\n * Three.\n *\n * Lessons: transfer, vector-add\n */\nint x;\n",
               "    {\"two-words\", \"A title\",\n    \"One\\n\"\n    \"two.\\n\"\n    \"\\n\"\n    \"Three.\",\n"
               "    {\"transfer\", \"vector-add\", NULL}, \"two-words.cu\",\n    \"/* A title\\n\"\n    \" *\\n\"\n"
               "    \" * One\\n\"\n    \" * two.\\n\"\n    \" *\\n\"\n    \" * Three.\\n\"\n    \" *\\n\"\n"
               "    \" * Lessons: transfer, vector-add\\n\"\n    \" */\\n\"\n    \"int x;\\n\"},\n");
    expect_row("/* A title\n * Text.\n */\n",
               "    {\"two-words\", \"A title\",\n    \"Text.\",\n    {NULL}, "
               "\"two-words.cu\",\n    \"/* A title\\n\"\n    \" * Text.\\n\"\n    \" */\\n\"},\n");
}

TEST(a_program_begins_with_its_title)
{
    const char *message = "1: the file begins with \"/* TITLE\", and the title has no full stop";
    expect_message("", message);
    expect_message("#include <stdio.h>\n", message);
    expect_message("/*\n * Title\n */\n", message);
    expect_message("/* \n * Title\n */\n", message);
    expect_message("/* Title. */\n", message);
    expect_message("/* A sentence.\n *\n * Text.\n */\n", message);
    expect_message("// Title\n", message);
}

TEST(a_program_says_what_it_shows)
{
    expect_message("/* Title\n */\n", "2: the comment says what the program shows");
    expect_message("/* Title\n *\n *\n * Lessons: overlap\n */\n", "5: the comment says what the program shows");
}

TEST(the_first_comment_has_one_form)
{
    const char *form = "a line of the first comment begins with \" * \"; the comment ends with \" */\"";
    char message[256];
    snprintf(message, sizeof message, "3: %s", form);
    expect_message("/* Title\n *\n", message);
    expect_message("/* Title\n *\nText. */\n", message);
    expect_message("/* Title\n *\n *Text.\n */\n", message);
    snprintf(message, sizeof message, "2: %s", form);
    expect_message("/* Title", message);
}

TEST(lessons_are_the_last_line)
{
    const char *lessons = "3: must be \"Lessons: NAME, NAME\", at most 8";
    expect_message("/* Title\n * Text.\n * Lessons: \n */\n", lessons);
    expect_message("/* Title\n * Text.\n * Lessons: a,b\n */\n", lessons);
    expect_message("/* Title\n * Text.\n * Lessons: a b\n */\n", lessons);
    expect_message("/* Title\n * Text.\n * Lessons: a, \n */\n", lessons);
    expect_message("/* Title\n * Text.\n * Lessons: a, b, c, d, e, f, g, h, i\n */\n", lessons);
    expect_message("/* Title\n * Lessons: a\n * Text.\n */\n", "3: the comment ends after its lessons");
    expect_row("/* Title\n * Text.\n * Lessons: a, b, c, d, e, f, g, h\n */\n", NULL);
}

TEST(a_program_is_short)
{
    char text[256] = "/* Title\n * Text.\n */\n";
    size_t length = strlen(text);
    memset(text + length, '\n', 87);
    expect_row(text, NULL);
    text[length + 87] = '\n';
    expect_message(text, "91: a program has at most 90 lines");
}
