/* kernels/pages/sources.c and host_kernels.c: the tables that are made of markers, and what is said of markers that are
 * wrong. */
#include "pages/host_kernels.h"
#include "pages/sources.h"
#include "support/expect_abort.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder of an experiment, relative to the working directory as gpulab-pages has it. */
static char folder[] = "gpulab-sources-XXXXXX";
static const char *const names[] = {"probe.cu", "probe.h", "probe_host.c", NULL};

static int make_folder(void **state)
{
    (void)state;
    return chdir("/tmp") != 0 || mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    for (const char *const *name = names; *name != NULL; name++)
        unlink(lab_keep_format("%s/%s", folder, *name));
    return rmdir(folder);
}

AROUND_EACH_TEST(.setup = make_folder, .teardown = remove_folder);

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(lab_keep_format("%s/%s", folder, name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_tables(FILE *out)
{
    struct lab_source_files files = {0};
    lab_page_sources_write(lab_page_sources_read(&files, folder), "probe", out);
    lab_host_kernels_write(&files, folder, "probe", out);
}

/* The tables of the folder. */
static const char *tables(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write_tables(out);
    fclose(out);
    const char *kept = lab_keep(text, size);
    free(text);
    return kept;
}

static void write_no_tables(void)
{
    write_tables(fopen("/dev/null", "w"));
}

/* Expects that the program ends with this message about the folder's probe.cu, which has this text. */
static void expect_message(const char *text, const char *message)
{
    write_file("probe.cu", text);
    expect_failure(write_no_tables, lab_keep_format("%s/probe.cu:%s\n", folder, message));
}

/* The row of a step in the tables: what follows its name and runtime, up to the next row. */
static void expect_row(const char *text, const char *begin, const char *row)
{
    const char *found = strstr(text, begin);
    if (found == NULL || strncmp(found + strlen(begin), row, strlen(row)) != 0)
        fail_msg("no row %s %s in: %s", begin, row, text);
}

TEST(a_titled_region_is_a_step_with_what_it_uses)
{
    write_file("probe.h", "// region constants\nenum { N };\n// end\n");
    write_file("probe.cu",
               "// region loop\n// end\n// steps use probe.h:constants, loop\n\n"
               "// region one-two \"One and two\"\n/* First line,\n * second.\n *\n * - item */\ncode\n// end\n");
    expect_row(
        tables(), "{\"one-two\", \"cuda\", ",
        lab_keep_format(
            "\"One and two\",\n    \"First line,\\n\"\n    \"second.\\n\"\n    \"\\n\"\n    \"- item\",\n     {{\"%s/probe.h\", "
            "\"constants\"}, {\"%s/probe.cu\", \"loop\"}, {\"%s/probe.cu\", \"one-two\"}, }},\n",
            folder, folder, folder));
}

TEST(a_step_of_the_host_has_the_texts_of_the_gpu)
{
    write_file("probe.cu", "// region copy \"Copy\"\n/* Copies. */\n// end\n");
    write_file("probe_host.c",
               "// region helper\n// end\n// region copy\nLAB_HOST_KERNEL(probe_copy)\n{\n}\n// end\n"
               "LAB_CHECK_HOST(probe_check, expected)\n    LAB_HOST_KERNEL(probe_indented)\nOTHER(name)\n");
    const char *text = tables();
    expect_row(text, "{\"copy\", \"host\", ",
               lab_keep_format("\"Copy\",\n    \"Copies.\",\n     {{\"%s/probe_host.c\", \"copy\"}, }},\n", folder));
    assert_null(strstr(text, "\"helper\", \"host\""));
    expect_row(text, "probe_host_kernels[] = {\n",
               "    {\"probe_copy\", host_probe_copy},\n    {\"probe_check\", host_probe_check},\n    {0},\n};\n");
}

TEST(a_source_can_be_of_several_steps_and_files)
{
    write_file("probe.h", "int x;\n");
    write_file("probe.cu", "// step small, large \"Sizes\" shows probe.h, all\n/* Both. */\n\n// region all\n// end\n");
    const char *text = tables(), *row = lab_keep_format(
                                     "\"Sizes\",\n    \"Both.\",\n     {{\"%s/probe.h\", NULL}, {\"%s/probe.cu\", "
                                     "\"all\"}, }},\n",
                                     folder, folder);
    expect_row(text, "{\"small\", \"cuda\", ", row);
    expect_row(text, "{\"large\", \"cuda\", ", row);
}

TEST(markers_that_are_wrong_are_named_with_their_lines)
{
    expect_message("// region a\n// region b\n", "2: the region 'a' has not ended");
    expect_message("\n// end\n", "2: no region has begun");
    expect_message("// region a\n", "2: the region 'a' does not end");
    expect_message("// region a b\n// end\n", "1: a region begins with: // region NAME, or // region NAME \"TITLE\"");
    expect_message("// region a \"A\"\ncode\n// end\n",
                   "1: the step 'a' has a title, so the next line must begin a comment that explains it");
    expect_message("// region a \"A\"\n/* Text. */\n// end\n// region a \"A\"\n/* Text. */\n// end\n",
                   lab_keep_format("4: the step 'a' of cuda is also at %s/probe.cu:1", folder));
    expect_message("// step a \"A\" shows b\n/* Text. */\n",
                   lab_keep_format("1: %s/probe.cu has no region 'b'", folder));
    expect_message("// step a \"A\" uses b\n/* Text. */\n", "1: a step is: // step NAME \"TITLE\" shows PART, PART");
    expect_message("// step a shows b\n// region b\n// end\n", "1: the step 'a' has no title");
    expect_message("// steps use b c\n// region b\n// end\n", "1: parts are separated by commas; found 'c'");
    expect_message("// steps use b,\n// region b\n// end\n", "1: a part is missing: REGION, FILE or FILE:REGION");
}

TEST(a_file_that_does_not_exist_is_named)
{
    int status;
    write_file("probe.cu", "// step a \"A\" shows other.cu\n/* Text. */\n");
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(2);
        write_tables(fopen("/dev/null", "w"));
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
