/* kernels/pages/data.c: what is said of a file NAME.json, with its line, and the tables that are made of it. */
#include "pages/data.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "gpulab-data-XXXXXX", path[64];

static int make_folder(void **state)
{
    (void)state;
    if (chdir("/tmp") != 0 || mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/%s.json", folder, folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    rmdir(folder);
    return 0;
}

AROUND_EACH_TEST(.setup = make_folder, .teardown = remove_folder);

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* What is printed about the file, or of what is right the tables: a text that the caller frees. */
static char *read_file(bool right)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct lab_data data = {0};
    assert_non_null(out);
    assert_int_equal(lab_data_read(&data, folder, out), right);
    if (right)
        assert_true(lab_data_write(&data, "probe", out));
    lab_data_release(&data);
    fclose(out);
    return text;
}

/* Expects these lines, each of which begins with the path of the file and ':'. */
static void expect_messages(const char *text, const char *const *lines)
{
    if (text != NULL)
        write_text(text);
    char *messages = read_file(false), *rest = messages;
    for (const char *const *line = lines; *line != NULL; line++) {
        char *found = strsep(&rest, "\n");
        assert_non_null(rest);
        assert_true(strncmp(found, path, strlen(path)) == 0);
        assert_string_equal(found + strlen(path), *line);
    }
    assert_string_equal(rest, "");
    free(messages);
}

#define EXPECT_MESSAGES(TEXT, ...) expect_messages(TEXT, (const char *const[]){__VA_ARGS__, NULL})

TEST(a_file_that_cannot_be_read_is_named)
{
    EXPECT_MESSAGES(NULL,
                    ":1: cannot be read: No such file or directory; every experiment has this file, with the preset "
                    "\"quick\"");
    EXPECT_MESSAGES("", ":1: cannot be read: it is empty; every experiment has this file, with the preset \"quick\"");
    EXPECT_MESSAGES("{\"presets\":\n {\"quick\": {}}\n", ":3: '}' expected near end of file; the file must be JSON");
    EXPECT_MESSAGES("[]", ":1: must be an object, not a list.");
}

TEST(every_experiment_has_the_preset_quick)
{
    EXPECT_MESSAGES("{}", ":1: /presets: 'presets' is missing; it must be an object.");
    EXPECT_MESSAGES("{\n \"presets\": {\n  \"thorough\": {}}}",
                    ":2: /presets/quick: 'quick' is missing; it must be an object.");
}

/* A line is that of the member; of one that is missing, that of the object that should have it. */
TEST(members_that_are_wrong_are_named_with_their_lines)
{
    EXPECT_MESSAGES(
        "{\"presets\": {\"quick\": {}},\n"
        " \"references\": [\n"
        "  {\"system\": \"a\", \"source\": \"b, c\",\n"
        "   \"figures\": [{\"metric\": \"time\", \"value\": 1, \"unit\": \"s\"}]},\n"
        "  {\"system\": \"\",\n"
        "   \"source\": \"b\",\n"
        "   \"figures\": [\n"
        "    {\"metric\": \"time\",\n"
        "     \"value\": 0, \"unit\": \"s\"},\n"
        "    {\"metric\": \"time\", \"value\": 2, \"unit\": \"s\", \"note\": \"\"}]}]}",
        ":5: /references/1/system: 'system' must be a string of 1 to 200 characters, not \"\".",
        ":9: /references/1/figures/0/value: 'value' must be a number above 0, not 0.",
        ":10: /references/1/figures/1/note: Unknown field 'note'; allowed are axes, metric, unit, value, "
        "values, baseline, remark.");
}

TEST(a_figure_has_metric_unit_and_one_value_or_values_over_one_axis)
{
    EXPECT_MESSAGES(
        "{\"presets\": {\"quick\": {}}, \"references\": [\n"
        " {\"system\": \"a\", \"source\": \"b\", \"metric\": \"time\", \"figures\": [\n"
        "  {\"value\": 1},\n"
        "  {\"unit\": \"s\"},\n"
        "  {\"unit\": \"s\", \"value\": 1, \"axes\": {\"n\": [1]}, \"values\": [1]},\n"
        "  {\"unit\": \"s\", \"values\": [1]},\n"
        "  {\"unit\": \"s\", \"axes\": {\"n\": [1, 2]}, \"values\": [1]},\n"
        "  {\"unit\": \"s\", \"axes\": {\"n\": [1, 2], \"m\": [1, 2]}, \"values\": [1, 2]},\n"
        "  {\"unit\": \"s\", \"axes\": {\"n\": [1, 2]}, \"value\": 1},\n"
        "  {\"unit\": \"s\", \"axes\": {\"n\": [1]}, \"values\": [1], \"baseline\": \"b\"},\n"
        "  {\"unit\": \"s\", \"axes\": {\"n\": [1]}, \"values\": [1]}]}]}",
        ":3: /references/0/figures/0: 'unit' is missing; the figure or its group must have it",
        ":4: /references/0/figures/1: must have either 'value' or 'values'",
        ":5: /references/0/figures/2: must have either 'value' or 'values'",
        ":6: /references/0/figures/3: 'values' has 1 items; one axis, and no other, must have a list of as many",
        ":7: /references/0/figures/4: 'values' has 1 items; one axis, and no other, must have a list of as many",
        ":8: /references/0/figures/5: 'values' has 2 items; one axis, and no other, must have a list of as many",
        ":9: /references/0/figures/6: no axis can have a list, because there is one 'value'",
        ":10: /references/0/figures/7: 'baseline' is of one value, not of 'values'");
}

/* The rows of the table that begins with this line. */
static void expect_rows(const char *tables, const char *begin, const char *rows)
{
    const char *found = strstr(tables, begin);
    assert_non_null(found);
    found += strlen(begin);
    if (strncmp(found, rows, strlen(rows)) != 0)
        assert_string_equal(found, rows);
    assert_true(strncmp(found + strlen(rows), "    {0},\n};\n", strlen("    {0},\n};\n")) == 0);
}

TEST(presets_and_references_become_tables)
{
    write_text(
        "{\"presets\": {\"quick\": {\"n\": [1, 2]}, \"thorough\": {}}, \"references\": [\n"
        " {\"system\": \"GPU \\\"\\\\\\n\", \"source\": \"gpulab\", \"driver\": \"1\", \"date\": \"2026\",\n"
        "  \"notes\": [\"not shown\"], \"axes\": {\"n\": 1},\n"
        "  \"figures\": [\n"
        "   {\"axes\": {\"m\": 2, \"k\": null}, \"metric\": \"time\", \"value\": 0.5, \"unit\": \"s\", \"baseline\": \"one\"},\n"
        "   {\"metric\": \"error\", \"value\": 1, \"unit\": \"1\"},\n"
        "   {\"metric\": \"time\", \"value\": 0.25, \"unit\": \"s\", \"remark\": \"faster\"}]},\n"
        " {\"system\": \"other\", \"source\": \"text\", \"figures\": [\n"
        "   {\"metric\": \"time\", \"value\": 3, \"unit\": \"s\"}]}]}");
    char *tables = read_file(true);
    expect_rows(tables, "const struct lab_preset lab_probe_presets[] = {\n",
                "    {\"quick\", \"{\\\"n\\\":[1,2]}\"},\n"
                "    {\"thorough\", \"{}\"},\n");
#define GPU "    {.system = \"GPU \\\"\\\\\\n\", .source = \"gpulab\" \", driver \" \"1\" \", \" \"2026\", .axes = "
    expect_rows(
        tables, "const struct lab_reference lab_probe_references[] = {\n",
        GPU
        "\"{\\\"n\\\":1,\\\"m\\\":2}\", .metric = \"time\", .value = 0.5, .unit = \"s\", .remark = NULL},\n" GPU
        "\"{\\\"n\\\":1}\", .metric = \"error\", .value = 1, .unit = \"1\", .remark = NULL},\n" GPU
        "\"{\\\"n\\\":1}\", .metric = \"time\", .value = 0.25, .unit = \"s\", .remark = \"faster\", .baseline = \"one\", "
        ".baseline_value = 0.5},\n"
        "    {.system = \"other\", .source = \"text\", .axes = \"{}\", .metric = \"time\", .value = 3, .unit = \"s\", "
        ".remark = NULL},\n");
    free(tables);
}

TEST(values_are_a_figure_each_and_members_of_the_group_are_those_of_all)
{
    write_text(
        "{\"presets\": {\"quick\": {}}, \"references\": [\n"
        " {\"system\": \"GPU\", \"source\": \"text\", \"axes\": {\"n\": 1}, \"metric\": \"time\", \"unit\": \"s\",\n"
        "  \"figures\": [\n"
        "   {\"axes\": {\"m\": [2, null], \"k\": 3}, \"values\": [4, 5], \"remark\": \"both\"},\n"
        "   {\"metric\": \"error\", \"unit\": \"1\", \"value\": 6}]}]}");
    char *tables = read_file(true);
#define TEXT "    {.system = \"GPU\", .source = \"text\", .axes = "
    expect_rows(
        tables, "const struct lab_reference lab_probe_references[] = {\n",
        TEXT
        "\"{\\\"n\\\":1,\\\"m\\\":2,\\\"k\\\":3}\", .metric = \"time\", .value = 4, .unit = \"s\", .remark = \"both\"},\n" TEXT
        "\"{\\\"n\\\":1,\\\"k\\\":3}\", .metric = \"time\", .value = 5, .unit = \"s\", .remark = \"both\"},\n" TEXT
        "\"{\\\"n\\\":1}\", .metric = \"error\", .value = 6, .unit = \"1\", .remark = NULL},\n");
    free(tables);
}
