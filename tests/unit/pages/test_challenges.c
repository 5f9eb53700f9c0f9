/* kernels/pages/challenges.c: the document that is made of the files of a challenge, and what is said of files of
 * another form. */
#include "pages/challenges.h"
#include "support/expect_abort.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define DEFINITION "{\"score\": \"time\", \"shows\": {}, \"kernel\": {\"block\": 1, \"reference\": {\"grid\": 1}}}"

enum { DEFINITION_FILE, TEXT_FILE, REFERENCE_FILE, START_FILE };

static struct lab_source_file made[] = {
    {.path = "kernels/challenges/gather/gather.json", .next = &made[1]},
    {.path = "kernels/challenges/gather/gather.md", .next = &made[2]},
    {.path = "kernels/challenges/gather/reference.cu", .text = "int r;\n", .next = &made[3]},
    {.path = "kernels/challenges/gather/start.cu", .text = "int s;\n"}};

static char *row(void)
{
    struct lab_source_files files = {made};
    char *written = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    lab_challenge_write(&files, "kernels/challenges/gather", out);
    assert_int_equal(fclose(out), 0);
    return written;
}

static void write_row(void)
{
    free(row());
}

/* Expects that the program ends with this message about the file, where the definition and the text are these. */
static void expect_message(const char *definition, const char *text, const char *message)
{
    made[DEFINITION_FILE].text = definition;
    made[TEXT_FILE].text = text;
    expect_failure(write_row, message);
}

TEST(a_document_has_name_title_text_start_and_the_source_of_the_reference)
{
    made[DEFINITION_FILE].text = DEFINITION;
    made[TEXT_FILE].text = "# Two words\n\nText.\n";
    char *written = row();
    assert_string_equal(written,
                        "    {\"gather\",\n    \"{\\\"name\\\":\\\"gather\\\",\\\"title\\\":\\\"Two words\\\","
                        "\\\"text\\\":\\\"Text.\\\\n\\\",\\\"start\\\":\\\"int s;\\\\n\\\",\\\"score\\\":\\\"time\\\","
                        "\\\"shows\\\":{},\\\"kernel\\\":{\\\"block\\\":1,\\\"reference\\\":{\\\"grid\\\":1,"
                        "\\\"source\\\":\\\"int r;\\\\n\\\"}}}\"},\n");
    free(written);
}

TEST(a_text_begins_with_its_title)
{
    static const char *const wrong[] = {"", "Two words\n\nText.\n", "# Two words\nText.\n", "# Two words\n\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_message(
            DEFINITION, wrong[i],
            "kernels/challenges/gather/gather.md:1: the file begins with \"# TITLE\" and an empty line, and the "
            "text follows\n");
}

TEST(the_sources_are_in_their_files_alone)
{
    static const char *const wrong[] = {
        "[]", "{\"score\": \"time\", \"shows\": {}, \"kernel\": {}}",
        "{\"score\": \"time\", \"shows\": {}, \"kernel\": {\"reference\": {\"source\": \"int r;\"}}}",
        "{\"title\": \"Two words\", \"score\": \"time\", \"shows\": {}, \"kernel\": {\"reference\": {}}}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_message(wrong[i], "# Two words\n\nText.\n",
                       "kernels/challenges/gather/gather.json:1: must be an object with 'score', 'shows' and 'kernel', "
                       "whose 'reference' has no source: it is in reference.cu\n");
}
