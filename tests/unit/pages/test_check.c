/* kernels/pages/check.c: presets and references that an experiment cannot run are refused, with their members, and
 * lessons that do not exist. */
#include "pages/check.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* Expects that the document of an experiment, in which ' stands for ", is refused with one error, or with none. */
static void expect_error(const char *experiment, const char *text, const char *pointer, const char *detail)
{
    char quoted[1024];
    struct lab_errors errors = {0};
    assert_true(strlen(text) < sizeof quoted);
    for (size_t i = 0; i <= strlen(text); i++)
        quoted[i] = text[i] == '\'' ? '"' : text[i];
    json_t *document = json_loads(quoted, 0, NULL);
    assert_non_null(document);
    lab_data_check(document, lab_experiment_find(experiment), &errors);
    json_decref(document);
    for (size_t i = pointer != NULL; i < errors.count; i++)
        fail_msg("%s: %s", errors.items[i].pointer, errors.items[i].detail);
    if (pointer == NULL)
        return;
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.items[0].pointer, pointer);
    if (strstr(errors.items[0].detail, detail) == NULL)
        assert_string_equal(errors.items[0].detail, detail);
}

TEST(a_preset_has_parameters_that_the_experiment_takes)
{
    expect_error("stream", "{'presets': {'quick': {'min_bytes': 4096, 'max_bytes': 4096}}}", NULL, NULL);
    expect_error("stream", "{'presets': {'quick': {}, 'deep': {'steps': 1}}}", "/presets/deep/steps", "steps");
    expect_error("stream", "{'presets': {'quick': {'variant': ['read', 'wrote']}}}", "/presets/quick/variant/1",
                 "read, write, copy, scale, add, triad or memset");
    expect_error("stream", "{'presets': {'quick': {'min_bytes': 2, 'max_bytes': 1}}}", "/presets/quick/min_bytes",
                 "min_bytes (2) must not exceed max_bytes (1)");
    expect_error("stream", "{'presets': {'quick': 1}}", "/presets/quick", "must be an object");
    expect_error("kernel", "{'presets': {'quick': {'time_budget_s': -1}}}", "/presets/quick/time_budget_s", "number");
}

/* A reference of reduction, with the members of a figure. */
#define REFERENCE(AXES, MEMBERS)                                                                                        \
    "{'presets': {}, 'references': [{'system': 'S', 'source': 'text', 'axes': {'type': 'int32', 'load': 'sustained'}, " \
    "'figures': [{'axes': {" AXES "}, 'value': 1, " MEMBERS "}]}]}"
#define FIGURE "/references/0/figures/0"
#define POINT "'bytes': 1048576, 'step': 'divergent', 'cache': 'warm'"
#define BANDWIDTH "'metric': 'bandwidth', 'unit': 'GB/s'"

TEST(a_figure_has_a_metric_of_the_experiment_in_its_unit)
{
    expect_error("reduction", REFERENCE(POINT, BANDWIDTH), NULL, NULL);
    expect_error("reduction", REFERENCE(POINT, "'metric': 'rate', 'unit': 'GB/s'"), FIGURE "/metric",
                 "'metric' must be bandwidth, ");
    expect_error("reduction", REFERENCE(POINT, "'metric': 'bandwidth', 'unit': 'MB/s'"), FIGURE "/unit",
                 "'unit' must be GB/s, not \"MB/s\".");
    expect_error("reduction", REFERENCE(POINT, "'metric': 'time', 'unit': 's', 'baseline': 'one'"), FIGURE "/baseline",
                 "no metric speedup");
}

TEST(a_figure_has_values_of_the_axes_of_the_experiment)
{
    expect_error("reduction", REFERENCE(POINT ", 'stride': 1", BANDWIDTH), FIGURE "/axes/stride",
                 "Unknown field 'stride'; allowed are bytes, type, step, cache, load.");
    expect_error("reduction", REFERENCE("'bytes': 1048576, 'step': 'best', 'cache': 'warm'", BANDWIDTH),
                 FIGURE "/axes/step", "'step' must be ");
    expect_error("reduction", REFERENCE("'bytes': '1MiB', 'step': 'divergent', 'cache': 'warm'", BANDWIDTH),
                 FIGURE "/axes/bytes", "'bytes' must be an integer in digits or null");
}

/* A run reports the size that its kernels can have, so no measurement is at another one. */
TEST(a_figure_is_at_a_point_that_a_run_can_have)
{
    expect_error("reduction", REFERENCE("'bytes': 1048577, 'step': 'divergent', 'cache': 'warm'", BANDWIDTH),
                 FIGURE "/axes", "no run has a point with these axes");
    expect_error(
        "reduction",
        "{'presets': {}, 'references': [{'system': 'S', 'source': 'text', 'metric': 'bandwidth', 'unit': 'GB/s', "
        "'figures': [{'axes': {'type': 'int32', 'load': 'sustained', 'step': 'divergent', 'cache': 'warm', "
        "'bytes': [1048576, 1048577, 1048578]}, 'values': [1, 2, 3]}]}]}",
        FIGURE "/axes",
        "as a measurement has them: "
        "{\"type\":\"int32\",\"load\":\"sustained\",\"step\":\"divergent\",\"cache\":\"warm\",\"bytes\":1048577}");
}

TEST(a_figure_names_all_axes_of_its_point)
{
    expect_error("reduction", REFERENCE("'bytes': 1048576, 'step': 'divergent'", BANDWIDTH), FIGURE "/axes",
                 "axis 'cache' is missing");
    expect_error("reduction", REFERENCE("'bytes': null, 'step': 'divergent', 'cache': null", BANDWIDTH), NULL, NULL);
}

TEST(a_figure_of_gpulab_has_driver_and_date)
{
    expect_error(
        "reduction",
        "{'presets': {}, 'references': [{'system': 'S', 'source': 'gpulab on S', 'date': '2026', 'figures': []}]}",
        "/references/0", "'driver' is missing");
}

TEST(parameters_of_a_reference_are_those_of_a_run_that_are_not_axes)
{
#define WAITS(PARAMETERS)                                                                                              \
    "{'presets': {}, 'references': [{'system': 'S', 'source': 'text', 'parameters': {" PARAMETERS                      \
    "}, 'figures': [{'axes': {'variant': 'flag'}, 'metric': 'latency', 'value': 1, 'unit': 's'}]}]}"
    expect_error("waiting", WAITS("'hold_s': 1e-3"), NULL, NULL);
    expect_error("waiting", WAITS("'hold_s': 100"), "/references/0/parameters/hold_s",
                 "'hold_s' must be a number from");
    expect_error("waiting", WAITS("'held_s': 1"), "/references/0/parameters/held_s", "'held_s'");
    expect_error("waiting", WAITS("'variant': 'flag'"), "/references/0/parameters/variant", "it is an axis");
#undef WAITS
}

TEST(devices_of_one_lab_are_not_axes_of_a_figure)
{
    expect_error(
        "peer",
        "{'presets': {}, 'references': [{'system': '2 x S', 'source': 'text', 'figures': [{'axes': {'peer_access': "
        "true, 'engine': 'copy', 'access': 'read', 'pattern': 'pair', 'bytes': 1024, 'opposing': false}, 'metric': "
        "'bandwidth', 'value': 1, 'unit': 'GB/s'}]}]}",
        NULL, NULL);
    expect_error(
        "peer",
        "{'presets': {}, 'references': [{'system': '2 x S', 'source': 'text', 'axes': {'source': 0}, 'figures': []}]}",
        "/references/0/axes/source", "Unknown field 'source'");
}

TEST(a_lesson_of_a_program_is_an_experiment)
{
    const struct lab_sample_program programs[] = {
        {.name = "right", .lessons = {"transfer", "memory-hierarchy"}, .file = "right.c"},
        {.name = "wrong",
         .lessons = {"transfer", "memory_hierarchy", "x"},
         .file = "wrong.c",
         .source = "/* A\n * B\n * Lessons: …\n"},
        {0},
    };
    char *found = NULL;
    size_t size;
    FILE *messages = open_memstream(&found, &size);
    assert_non_null(messages);
    assert_false(lab_lessons_check(programs, messages));
    fclose(messages);
    assert_string_equal(found,
                        "kernels/programs/wrong.c:3: the lesson 'memory_hierarchy' must be the name of an experiment\n"
                        "kernels/programs/wrong.c:3: the lesson 'x' must be the name of an experiment\n");
    free(found);
    assert_true(lab_lessons_check(&programs[2], stderr));
}
