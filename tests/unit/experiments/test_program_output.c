/* kernels/experiments/program/output.c: what programs print becomes text that shows all bytes and is bounded. */
#include "experiments/program/output.h"
#include "support/test.h"

#include "core/text.h"

#include <stdlib.h>
#include <string.h>

static char *got; /* all that was sent */
static size_t got_length;

static void collect(void *context, const char *stream, const char *text)
{
    (void)context;
    size_t length = strlen(text);
    assert_true(lab_utf8_is_valid(text, length));
    assert_non_null(stream);
    assert_true(got_length + length <= LAB_OUTPUT_MAX);
    memcpy(got + got_length, text, length + 1);
    got_length += length;
}

static struct program_output begin(struct lab_run *run)
{
    free(got);
    got = calloc(1, LAB_OUTPUT_MAX + 1);
    got_length = 0;
    *run = (struct lab_run){.sink.output = collect};
    return (struct program_output){.run = run};
}

static void assert_shown(const char *bytes, size_t size, const char *expected)
{
    for (size_t piece = 1; piece <= size; piece++) { /* however the bytes are divided */
        struct lab_run run;
        struct program_output output = begin(&run);
        for (size_t at = 0; at < size; at += piece)
            program_output_add(&output, PROGRAM_STDOUT, bytes + at, piece < size - at ? piece : size - at);
        program_output_end(&output);
        assert_string_equal(got, expected);
    }
}

#define SHOWN(bytes, expected) assert_shown(bytes, sizeof bytes - 1, expected)

TEST(text_is_sent_as_it_is_and_other_bytes_are_shown)
{
    SHOWN("one\n\ttwo\n", "one\n\ttwo\n");
    SHOWN("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    SHOWN("\033[31mred\a\177", "\\x1b[31mred\\x07\\x7f");
    SHOWN("a\r\nb\r50 %\r", "a\nb\n50 %\n");
    SHOWN("\xff\xc3(\xe2\x82\xed\xa0\x80", "\\xff\\xc3(\\xe2\\x82\\xed\\xa0\\x80");
    SHOWN("a\0b", "a\\x00b");
}

TEST(of_much_output_the_beginning_and_the_end_are_kept)
{
    struct lab_run run;
    struct program_output output = begin(&run);
    char line[64];
    for (int i = 0; i < 50000; i++)
        program_output_add(&output, i % 2 ? PROGRAM_STDERR : PROGRAM_STDOUT, line,
                           (size_t)snprintf(line, sizeof line, "line %06d of what a program prints\n", i));
    program_output_end(&output);
    assert_true(got_length <= LAB_OUTPUT_MAX);
    assert_true(got_length > LAB_OUTPUT_MAX / 8 * 7);
    assert_int_equal(strncmp(got, "line 000000 of what a program prints\nline 000001 ", 48), 0);
    assert_non_null(strstr(got, " bytes of output left out]\n"));
    assert_string_equal(got + got_length - 37, "line 049999 of what a program prints\n");
}
