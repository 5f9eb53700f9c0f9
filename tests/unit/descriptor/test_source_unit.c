/* kernels/descriptor/source_unit.c: what is compiled for an edited text of a source. */
#include "core/errors.h"
#include "descriptor/source.h"
#include "descriptor/source_lines.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy of `text` with its first `from` replaced by `to`; frees `text`. */
static char *replace(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from), *result = NULL;
    assert_non_null(at);
    assert_true(asprintf(&result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
    free(text);
    return result;
}

/* The unit of an edited text; frees `text`. */
static char *complete(const char *edits, char *text)
{
    struct lab_error error;
    char *unit = lab_source_complete(lab_source_find_edited(edits), text, "mine.cu", &error);
    if (unit == NULL)
        fail_msg("%s", error.detail);
    free(text);
    return unit;
}

static char *text_of(const char *edits)
{
    return lab_source_text(lab_source_find_edited(edits));
}

static size_t count(const char *text, const char *word)
{
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        found++;
    return found;
}

/* transpose/padded is made of regions of transpose.h and transpose.cu. */
TEST(edited_regions_replace_those_of_the_file)
{
    char *text = replace(text_of("transpose/padded"), "TILE + 1", "TILE + 3");
    char *unit = complete("transpose/padded", replace(text, "TILE = 32", "TILE = 16"));
    assert_int_equal(count(unit, "transpose_tile<TILE + 3>"), 1);
    assert_int_equal(count(unit, "TILE = 16, TILE_ROWS"), 1);
    assert_int_equal(count(unit, "TILE = 32"), 0);
    assert_int_equal(count(unit, "void transpose_padded("), 1);
    assert_int_equal(count(unit, "void transpose_naive("), 1); /* not in the text */
    assert_int_equal(count(unit, "void transpose_tile("), 1);
    assert_int_equal(count(unit, "#include \"transpose.h\""), 0);
    assert_int_equal(count(unit, "LAB_CHECK_KERNEL(transpose_check"), 1);
    free(unit);
}

/* The line that a message would name for the first occurrence of `word`: that of the last #line before it. */
static size_t line_of(const char *unit, const char *word, char file[128])
{
    const char *end = strstr(unit, word);
    size_t line = 0, next;
    assert_non_null(end);
    for (const char *at = unit; at <= end; at += strcspn(at, "\n") + 1) {
        line++;
        if (sscanf(at, "#line %zu \"%127[^\"]\"", &next, file) == 2)
            line = next - 1;
    }
    return line;
}

TEST(places_are_those_of_the_text_or_of_the_file)
{
    char file[128], *text = replace(text_of("transpose/padded"), "transpose_tile<TILE + 1>", "\n\nWRONG");
    size_t expected = 1;
    for (const char *at = text; at < strstr(text, "WRONG"); at++)
        expected += *at == '\n';
    char *unit = complete("transpose/padded", text);
    assert_int_equal(line_of(unit, "WRONG", file), expected);
    assert_string_equal(file, "mine.cu");
    assert_int_equal(line_of(unit, "The transpose of a matrix", file), 1);
    assert_string_equal(file, "kernels/experiments/memory/transpose/transpose.cu");
    free(unit);
}

TEST(what_precedes_the_parts_comes_first)
{
    char *text = NULL, *shown = text_of("transpose/padded");
    assert_true(asprintf(&text, "#include <cuda_fp16.h>\n%s", shown) > 0);
    free(shown);
    char *unit = complete("transpose/padded", text);
    static const char expected[] = "#line 1 \"mine.cu\"\n#include <cuda_fp16.h>\n";
    assert_memory_equal(unit, expected, sizeof expected - 1);
    free(unit);
}

static bool is_mark(const char *line)
{
    return strncmp(line, "// region ", 10) == 0 || strncmp(line, "// end\n", 7) == 0 ||
           strncmp(line, "// step", 7) == 0;
}

/* Checks that the unit has all lines of a file in their order, but for marks with their explanations and for includes
 * of parts. */
static void expect_lines(const char *unit, const char *file, const struct lab_source *source)
{
    for (const char *line = file, *next; *line != '\0'; line = next) {
        next = is_mark(line) ? lab_line_after_explanation(line) : line + strcspn(line, "\n") + 1;
        size_t length = strcspn(line, "\n");
        const char *at = unit;
        if (is_mark(line) || lab_line_includes(line, length, source) != NULL)
            continue;
        while (*at != '\0' && (strncmp(at, line, length + 1) != 0))
            at += strcspn(at, "\n") + 1;
        if (*at == '\0')
            fail_msg("%s, %s: no line '%.*s'", source->step, source->parts[0].file, (int)length, line);
        unit = at + length + 1;
    }
}

TEST(an_unedited_text_is_compiled_as_its_whole_file)
{
    size_t checked = 0;
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        for (const struct lab_source *s = lab_experiments[i]->sources; s != NULL && s->step != NULL; s++) {
            if (lab_source_find_editable(lab_experiments[i], s->step) != s)
                continue;
            size_t part = 0;
            while (strcmp(strrchr(s->parts[part].file, '.'), ".cu") != 0)
                part++;
            struct lab_error error;
            char *text = lab_source_text(s), *unit = lab_source_complete(s, text, "mine.cu", &error);
            assert_non_null(unit);
            expect_lines(unit, lab_shown_text(s->parts[part].file), s);
            free(text);
            free(unit);
            checked++;
        }
    assert_true(checked > 60);
}

TEST(whole_files_are_compiled_as_they_are)
{
    char *text = text_of("matmul/vectorized"), *copy = strdup(text), *unit = complete("matmul/vectorized", text);
    assert_string_equal(unit, copy);
    free(copy);
    free(unit);
}

TEST(a_part_without_its_comment_is_refused)
{
    struct lab_error error = {0};
    char *text = replace(text_of("transpose/padded"), "// kernels/experiments/memory/transpose/transpose.h", "// mine");
    assert_null(lab_source_complete(lab_source_find_edited("transpose/padded"), text, "mine.cu", &error));
    assert_int_equal(error.code, LAB_ERROR_MISSING_PART);
    assert_non_null(strstr(error.detail, "// kernels/experiments/memory/transpose/transpose.h"));
    free(text);
}

/* The text as an editor on Windows saves it. The caller frees it. */
static char *as_on_windows(const char *text)
{
    char *changed = malloc(2 * strlen(text) + 4), *to = stpcpy(changed, "\xef\xbb\xbf");
    for (; *text != '\0'; *to++ = *text++)
        if (*text == '\n')
            *to++ = '\r';
    *to = '\0';
    return changed;
}

TEST(byte_order_marks_and_carriage_returns_are_left_out)
{
    struct lab_error error;
    char *text = text_of("transpose/padded"), *changed = as_on_windows(text);
    char *expected = complete("transpose/padded", text), *unit = complete("transpose/padded", changed);
    assert_string_equal(unit, expected);
    free(unit);
    free(expected);
    unit = lab_source_complete(NULL,
                               "\xef\xbb\xbf\xef\xbb\xbf"
                               "a\rb\r\r\n\r\n",
                               "mine.cu", &error);
    assert_string_equal(unit,
                        "\xef\xbb\xbf"
                        "a\rb\r\n\n");
    free(unit);
    unit = lab_source_complete(NULL, "", "mine.cu", &error);
    assert_string_equal(unit, "");
    free(unit);
}

TEST(only_sources_that_can_be_edited_are_found)
{
    static const char *const others[] = {
        "", "transpose", "transpose/", "transpose/absent", "absent/padded", "matmul/cublas"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(lab_source_find_edited(others[i]));
}
