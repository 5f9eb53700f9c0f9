/* kernels/core/journal.c: the level before a line, which only the journal gets. */
#include "support/test.h"

#include "core/journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Prints a warning to a file that stands for stderr; `is_journal`: and for the journal. */
static void print_to(int file, bool is_journal, const char *text)
{
    char stream[64];
    struct stat status;
    assert_int_equal(fstat(file, &status), 0);
    snprintf(stream, sizeof stream, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino + !is_journal);
    setenv("JOURNAL_STREAM", stream, 1);
    int before = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    errno = ENOSPC;
    lab_journal(LAB_SEVERITY_WARNING, "%s: %m", text);
    dup2(before, STDERR_FILENO);
    close(before);
}

static void check(const char *printed, const char *in_journal, const char *elsewhere)
{
    char text[256] = "", expected[256];
    FILE *file = tmpfile();
    assert_non_null(file);
    print_to(fileno(file), true, printed);
    print_to(fileno(file), false, printed);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    snprintf(expected, sizeof expected, "%s%s", in_journal, elsewhere);
    assert_string_equal(text, expected);
    fclose(file);
}

TEST(a_line_has_a_level_in_the_journal_alone)
{
    check("run 7", "<4>gpulab: run 7: No space left on device\n", "gpulab: run 7: No space left on device\n");
}

TEST(each_line_of_a_text_has_the_level)
{
    check("the worker said:\nno driver\n\nit ended",
          "<4>gpulab: the worker said:\n<4>no driver\n<4>\n<4>it ended: No space left on device\n",
          "gpulab: the worker said:\nno driver\n\nit ended: No space left on device\n");
}
