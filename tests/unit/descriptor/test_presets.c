/* The presets of the experiments: `source` is exactly the program of the text that an experiment reproduces, or there
 * is none; a published result is measured by a preset; and a text that names a preset names one that exists.
 */
#include "benchmark/report.h"
#include "descriptor/points.h"
#include "descriptor/references.h"
#include "support/plan_harness.h"
#include "support/test.h"

#include <stdlib.h>

/* The programs of the texts, as all parameters that decide what is measured, with defaults resolved. A new `source`
 * needs a row with the figures of its text. */
static const struct {
    const char *experiment, *preset, *program;
} programs[] = {
    /* BandwidthTest of Ruetsch & Fatica 3.1.1: 16 MiB in both directions, from pageable and from pinned memory */
    {"transfer", "source",
     "{\"direction\": [\"h2d\", \"d2h\"], \"memory\": [\"pageable\", \"pinned\"], \"min_bytes\": 16777216,"
     " \"max_bytes\": 16777216, \"opposing\": [false], \"engine\": [\"copy\"], \"pattern\": [\"contiguous\"]}"},
    /* testAsync of Ruetsch & Fatica 3.1.3: 16 MiB in 4 chunks and 4 streams, one sine and cosine for each element */
    {"overlap", "source",
     "{\"kernel\": [\"waves\"], \"weight\": 1, \"bytes\": [16777216], \"chunks\": [4], \"streams\": [4], \"block\": 256,"
     " \"memory\": [\"pinned\"], \"replay\": [\"stream\"],"
     " \"variant\": [\"sequential\", \"depth-first\", \"breadth-first\", \"breadth-first-events\"]}"},
    /* the lecture on streams: 80 MiB an array in 20 chunks, one stream and two */
    {"overlap", "averaging",
     "{\"kernel\": [\"average\"], \"bytes\": [83886080], \"chunks\": [20], \"streams\": [2],"
     " \"memory\": [\"pinned\"], \"replay\": [\"stream\"], \"variant\": [\"one-stream\", \"depth-first\", \"interleaved\"]}"},
    /* asyncAPI: 64 MiB at once in the default stream, blocks of 512 threads */
    {"overlap", "async-api",
     "{\"kernel\": [\"increment\"], \"bytes\": [67108864], \"chunks\": [1], \"block\": 512, \"memory\": [\"pinned\"],"
     " \"replay\": [\"stream\"], \"variant\": [\"default-stream\"]}"},
    /* figure 3 of the course text: a step of 128 bytes is a stride of 32 floats */
    {"coalescing", "source",
     "{\"access\": [\"read\"], \"pattern\": [\"aligned\", \"permuted\", \"shifted\", \"strided\"], \"shift\": [1],"
     " \"stride\": [32]}"},
    /* the lecture on the memory model: a structure of five floats, and aligned to 16 bytes */
    {"access-width", "source", "{\"variant\": [\"aos-5\", \"aos-5-aligned\"]}"},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

TEST(programs_of_texts_are_measured_exactly)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        const struct lab_experiment *experiment = lab_experiment_find(programs[i].experiment);
        struct lab_parameters *parameters =
            parse(experiment->name, lab_experiment_preset(experiment, programs[i].preset));
        json_t *given = lab_parameters_to_json(parameters), *program = json_loads(programs[i].program, 0, NULL), *value;
        const char *name;
        assert_non_null(program);
        json_object_foreach(program, name, value)
        {
            if (!json_equal(json_object_get(given, name), value))
                fail_msg("%s of %s, preset %s, is not that of the text", name, experiment->name, programs[i].preset);
        }
        json_decref(program);
        json_decref(given);
        lab_parameters_free(parameters);
    }
}

static bool has_program(const char *experiment)
{
    for (size_t i = 0; i < PROGRAMS; i++)
        if (strcmp(programs[i].experiment, experiment) == 0 && strcmp(programs[i].preset, "source") == 0)
            return true;
    return false;
}

TEST(only_programs_of_texts_are_called_source)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        if ((lab_experiment_preset(lab_experiments[i], "source") != NULL) != has_program(lab_experiments[i]->name))
            fail_msg("%s: `source` is in one of its presets and the programs of this test", lab_experiments[i]->name);
    assert_null(lab_experiment_preset(&lab_kernel, "source"));
}

/* --- published results -------------------------------------------------------------------------------------------- */

/* Whether the point has the values of a reference's axes; those that the run decides are parameters (`weight`). */
static bool is_at(const struct lab_run *run, const struct lab_point *point, const json_t *wanted)
{
    struct lab_axes axes = {0};
    lab_report_axes(run, point, &axes);
    json_t *own = lab_axes_to_json(&axes), *parameters = lab_parameters_to_json(run->parameters);
    const char *name;
    bool equal = true;
    for (void *i = json_object_iter((json_t *)wanted); i != NULL; i = json_object_iter_next((json_t *)wanted, i)) {
        name = json_object_iter_key(i);
        const json_t *value = json_object_get(own, name);
        equal =
            equal && json_equal(value != NULL ? value : json_object_get(parameters, name), json_object_iter_value(i));
    }
    json_decref(own);
    json_decref(parameters);
    return equal;
}

static bool preset_measures(const struct lab_experiment *experiment, const char *preset, const json_t *axes)
{
    struct lab_errors errors = {0};
    struct lab_points points;
    struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts};
    struct lab_parameters *parameters = parse(experiment->name, preset);
    const struct lab_run run = {.experiment = experiment, .parameters = parameters};
    bool found = false;
    lab_facts_clear(&facts);
    assert_true(lab_points_init(&points, parameters, devices, 1, &errors));
    for (size_t i = 0; i < points.count && !found; i++)
        found = is_at(&run, &points.items[i], axes);
    lab_points_release(&points);
    lab_parameters_free(parameters);
    return found;
}

/* A published result of an experiment with a program of a text is a point of one of its presets, so that a run can have
 * it. */
TEST(published_results_are_points_of_presets)
{
    json_t *all = lab_references_to_json(NULL), *reference;
    size_t index, checked = 0;
    json_array_foreach(all, index, reference)
    {
        const char *name = json_string_value(json_object_get(reference, "experiment"));
        const struct lab_experiment *experiment = lab_experiment_find(name);
        const json_t *axes = json_object_get(reference, "axes");
        bool own = strncmp(json_string_value(json_object_get(reference, "source")), "gpulab", 6) == 0;
        if (own || !has_program(name))
            continue;
        const struct lab_preset *preset = experiment->presets;
        while (preset->name != NULL && !preset_measures(experiment, preset->parameters, axes))
            preset++;
        if (preset->name == NULL) {
            char *text = json_dumps(axes, JSON_COMPACT);
            fail_msg("no preset of %s measures %s", name, text);
            free(text);
        }
        checked++;
    }
    assert_true(checked >= 8 + 4 + 3 * 4 + 2 * 3);
    json_decref(all);
}

/* --- texts -------------------------------------------------------------------------------------------------------- */

/* Checks the names after the word preset or presets: "the presets `a` and `b`". Returns their number. */
static size_t check_named_presets(const struct lab_experiment *experiment)
{
    size_t count = 0;
    for (const char *at = experiment->explanation; (at = strstr(at, "preset")) != NULL;) {
        char name[32];
        at += at[strlen("preset")] == 's' ? strlen("presets") : strlen("preset");
        for (int length = 0; sscanf(at, " `%31[a-z0-9-]`%n", name, &length) == 1 && length > 0; length = 0) {
            if (lab_experiment_preset(experiment, name) == NULL)
                fail_msg("%s names the preset %s, which it does not have", experiment->name, name);
            at += length;
            at += strncmp(at, " and ", 5) == 0 ? 5 : 0;
            count++;
        }
    }
    return count;
}

TEST(explanations_name_presets_that_exist)
{
    size_t count = 0;
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        count += check_named_presets(lab_experiments[i]);
    assert_true(count >= 2);
}
