/* NVBench. The file has figures of the samples; the samples are in other files, with --jsonbin, which are not read. */
#include "formats/readers.h"

#include "formats/reader.h"

#include "core/json_members.h"
#include "core/number.h"
#include "core/text.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* {"name": …, "type": "int64", "float64" or "string", "value": TEXT}, of axes and summaries. */
static const struct lab_schema value_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(CHOICE, "type"), .choices = (const char *const[]){"int64", "float64", "string", NULL}},
    {LAB_GIVEN(STRING, "value")},
    {0},
};

static const struct lab_schema summary_members[] = {
    {LAB_GIVEN(STRING, "tag")},
    {.name = "hint", .type = LAB_TYPE_STRING},
    {.name = "data",
     .type = LAB_TYPE_OBJECT,
     .count = LAB_LIST,
     .nullable = true,
     .members = value_members,
     .open = true},
    {0},
};

static const struct lab_schema state_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {.name = "device", .type = LAB_TYPE_INTEGER, .nullable = true},
    {LAB_GIVEN(OBJECT, "axis_values"), .count = LAB_LIST, .nullable = true, .members = value_members, .open = true},
    {LAB_GIVEN(OBJECT, "summaries"), .count = LAB_LIST, .nullable = true, .members = summary_members, .open = true},
    {.name = "is_skipped", .type = LAB_TYPE_BOOLEAN},
    {.name = "skip_reason", .type = LAB_TYPE_STRING},
    {0},
};

static const struct lab_schema benchmark_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {.name = "devices", .type = LAB_TYPE_INTEGER, .count = LAB_LIST, .nullable = true},
    {LAB_GIVEN(OBJECT, "states"), .count = LAB_LIST, .nullable = true, .members = state_members, .open = true},
    {0},
};

static const struct lab_schema device_members[] = {
    {LAB_GIVEN(INTEGER, "id")},
    {LAB_GIVEN(STRING, "name")},
    {0},
};

static const struct lab_schema version_members[] = {{.name = "string", .type = LAB_TYPE_STRING}, {0}};
static const struct lab_schema versions_members[] = {
    {.name = "nvbench", .type = LAB_TYPE_OBJECT, .members = version_members, .open = true},
    {0},
};
static const struct lab_schema meta_members[] = {
    {.name = "version", .type = LAB_TYPE_OBJECT, .members = versions_members, .open = true},
    {0},
};

const struct lab_schema lab_nvbench_members[] = {
    {.name = "meta", .type = LAB_TYPE_OBJECT, .members = meta_members, .open = true},
    {LAB_GIVEN(OBJECT, "devices"), .count = LAB_LIST, .nullable = true, .members = device_members, .open = true},
    {LAB_GIVEN(OBJECT, "benchmarks"), .count = LAB_LIST, .nullable = true, .members = benchmark_members, .open = true},
    {0},
};

/* --- summaries ---------------------------------------------------------------------------------------------------- */

/* Summaries that are figures of the same samples: their tags are TIMES FIGURE. */
static const struct {
    const char *times, *metric, *count; /* the tag of the number of samples */
} sampled[] = {
    {"nv/cold/time/gpu/", "gpu_time", "nv/cold/sample_size"},
    {"nv/cold/time/cpu/", "cpu_time", "nv/cold/sample_size"},
    {"nv/batch/time/gpu/", "batch_gpu_time", "nv/batch/sample_size"},
    {"nv/cpu_only/time/cpu/", "cpu_time", "nv/cpu_only/sample_size"},
};

static const struct {
    const char *name;
    size_t offset;
} figure_names[] = {
    {"mean", offsetof(struct lab_result_figures, mean)},
    {"median", offsetof(struct lab_result_figures, median)},
    {"q1", offsetof(struct lab_result_figures, q1)},
    {"q3", offsetof(struct lab_result_figures, q3)},
    {"min", offsetof(struct lab_result_figures, min)},
    {"max", offsetof(struct lab_result_figures, max)},
    {"stdev/absolute", offsetof(struct lab_result_figures, stdev)},
};

/* Single figures. METRIC NULL: it follows from others, or says how long NVBench worked. */
static const struct {
    const char *tag, *metric;
} singles[] = {
    {"nv/cold/bw/global/bytes_per_second", "bandwidth"},
    {"nv/cold/bw/global/utilization", "share_of_peak"},
    {"nv/cold/bw/item_rate", "item_rate"},
    {"nv/cold/sm_clock_rate/mean", "clock"},
    {"nv/cpu_only/bw/global/bytes_per_second", "bandwidth"},
    {"nv/cpu_only/bw/item_rate", "item_rate"},
    {"nv/cold/walltime", NULL},
    {"nv/batch/walltime", NULL},
    {"nv/cpu_only/walltime", NULL},
    {"nv/cupti/walltime", NULL},
    {"nv/cold/sample_size", NULL},
    {"nv/batch/sample_size", NULL},
    {"nv/cpu_only/sample_size", NULL},
    {"nv/cupti/sample_size", NULL},
    {"nv/cold/sm_clock_rate/scaling/percent", NULL},
};

/* The unit of values with a hint; other values have none. NVBench writes percentages as shares. */
static const struct {
    const char *hint, *unit;
} hints[] = {
    {"duration", "s"}, {"byte_rate", "B/s"}, {"item_rate", "items/s"}, {"bytes", "B"}, {"frequency", "Hz"},
};

/* A state of a benchmark, and where it is. */
struct state {
    struct lab_reader *reader;
    const char *benchmark, *name;
    const json_t *summaries;
    json_t *axes, *by_tag; /* the indices of the summaries */
    const char *where;     /* the pointer of the summaries */
};

/* The pointer of the value of a summary. */
static void make_pointer(const struct state *state, size_t index, char pointer[LAB_POINTER_MAX])
{
    snprintf(pointer, LAB_POINTER_MAX, "%s", state->where);
    lab_pointer_append_index(pointer, LAB_POINTER_MAX, index);
}

/* Whether a text is NVBench's for a figure that is not available. The standard deviation of a few samples never is. */
static bool is_unavailable(const char *text)
{
    text += *text == '-';
    return strcmp(text, "inf") == 0 || strcmp(text, "nan") == 0;
}

/* The value of a summary. False: it has none; also with an error added when it is not a number. */
static bool read_value(const struct state *state, size_t index, double *value)
{
    const json_t *summary = json_array_get(state->summaries, index), *data = json_object_get(summary, "data");
    const char *tag = lab_text_of(summary, "tag");
    char pointer[LAB_POINTER_MAX];
    json_t *item;
    size_t i;
    json_array_foreach(data, i, item)
    {
        const char *text = lab_text_of(item, "value");
        if (strcmp(lab_text_of(item, "name"), "value") != 0 || strcmp(lab_text_of(item, "type"), "string") == 0)
            continue;
        if (is_unavailable(text)) {
            if (strstr(tag, "/stdev/") == NULL)
                lab_reader_note(state->reader, "%s [%s]: %s is %s: not available.", state->benchmark, state->name, tag,
                                text);
            return false;
        }
        make_pointer(state, index, pointer);
        return lab_finite_parse(text, value) ||
               lab_reader_refuse(state->reader, &(struct lab_place){pointer, 0}, LAB_ERROR_WRONG_TYPE,
                                 "The value of '%.64s' must be a finite number, not \"%.32s\".", tag, text);
    }
    return false;
}

/* Reads the value that has a tag. */
static bool read_tag(const struct state *state, const char *tag, double *value)
{
    const json_t *index = json_object_get(state->by_tag, tag);
    return index != NULL && read_value(state, (size_t)json_integer_value(index), value);
}

static void read_sampled(const struct state *state)
{
    for (size_t i = 0; i < sizeof sampled / sizeof *sampled; i++) {
        struct lab_result_figures figures = lab_no_figures;
        char tag[64];
        double count;
        for (size_t f = 0; f < sizeof figure_names / sizeof *figure_names; f++) {
            snprintf(tag, sizeof tag, "%s%s", sampled[i].times, figure_names[f].name);
            read_tag(state, tag, (double *)(void *)((char *)&figures + figure_names[f].offset));
        }
        if (read_tag(state, sampled[i].count, &count) && count >= 1 && count <= LAB_INTEGER_MAX)
            figures.n = (size_t)count;
        lab_reader_figures(state->reader,
                           &(struct lab_measured){{state->where, 0}, state->axes, sampled[i].metric, "s"}, &figures);
    }
}

/* Whether a tag is one of `sampled`. */
static bool is_sampled(const char *tag)
{
    for (size_t i = 0; i < sizeof sampled / sizeof *sampled; i++)
        if (strncmp(tag, sampled[i].times, strlen(sampled[i].times)) == 0)
            return true;
    return false;
}

/* The metric that a tag is; NULL: none. */
static const char *metric_of(const char *tag)
{
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
        if (strcmp(singles[i].tag, tag) == 0)
            return singles[i].metric;
    return strncmp(tag, "nv/", 3) == 0 ? tag + 3 : tag;
}

static void read_singles(const struct state *state)
{
    json_t *summary;
    size_t i;
    json_array_foreach(state->summaries, i, summary)
    {
        const char *tag = lab_text_of(summary, "tag"), *hint = lab_text_of(summary, "hint"), *metric = metric_of(tag),
                   *unit = "";
        char pointer[LAB_POINTER_MAX];
        double value;
        for (size_t h = 0; h < sizeof hints / sizeof *hints; h++)
            if (strcmp(hints[h].hint, hint) == 0)
                unit = hints[h].unit;
        make_pointer(state, i, pointer);
        if (strncmp(hint, "file/", 5) == 0)
            lab_reader_note(state->reader, "The samples are in other files (--jsonbin), which are not read.");
        else if (metric != NULL && !is_sampled(tag) && read_value(state, i, &value))
            lab_reader_sample(state->reader, &(struct lab_measured){{pointer, 0}, state->axes, metric, unit}, value);
    }
}

/* --- states ------------------------------------------------------------------------------------------------------- */

/* A new reference; NULL with an error. */
static json_t *read_axes(struct lab_reader *reader, const struct lab_place *at, const json_t *benchmark,
                         const json_t *state)
{
    const json_t *values = json_object_get(state, "axis_values");
    json_t *axes = json_object(), *item;
    size_t i;
    bool several = json_array_size(json_object_get(benchmark, "devices")) > 1;
    bool good = lab_reader_axis_text(reader, at, axes, "benchmark", lab_text_of(benchmark, "name"));
    if (several && json_is_integer(json_object_get(state, "device")))
        good = good && lab_reader_axis_number(reader, at, axes, "device", lab_number_of(state, "device"));
    json_array_foreach(values, i, item)
    {
        const char *name = lab_text_of(item, "name"), *text = lab_text_of(item, "value");
        bool is_text = strcmp(lab_text_of(item, "type"), "string") == 0;
        good = good && (is_text ? lab_reader_axis_text(reader, at, axes, name, text)
                                : lab_reader_axis_parsed(reader, at, axes, name, text));
    }
    if (good)
        return axes;
    json_decref(axes);
    return NULL;
}

static void read_state(struct lab_reader *reader, const json_t *benchmark, const json_t *json, const char *pointer)
{
    const char *name = lab_text_of(json, "name"), *reason = lab_text_of(json, "skip_reason");
    char where[LAB_POINTER_MAX];
    json_t *summary;
    size_t i;
    if (json_is_true(json_object_get(json, "is_skipped"))) {
        lab_reader_note(reader, "%s [%s]: skipped%s%s", lab_text_of(benchmark, "name"), name,
                        reason[0] != '\0' ? ": " : "", reason);
        return;
    }
    snprintf(where, sizeof where, "%s", pointer);
    lab_pointer_append(where, sizeof where, "summaries", strlen("summaries"));
    struct state state = {.reader = reader,
                          .benchmark = lab_text_of(benchmark, "name"),
                          .name = name,
                          .summaries = json_object_get(json, "summaries"),
                          .where = where};
    state.axes = read_axes(reader, &(struct lab_place){pointer, 0}, benchmark, json);
    state.by_tag = json_object();
    json_array_foreach(state.summaries, i, summary)
    {
        json_object_set_new(state.by_tag, lab_text_of(summary, "tag"), json_integer((json_int_t)i));
    }
    if (state.axes != NULL) {
        read_sampled(&state);
        read_singles(&state);
    }
    json_decref(state.axes);
    json_decref(state.by_tag);
}

/* Lists the devices that benchmarks have used. */
static void list_devices(struct lab_reader *reader, const json_t *document)
{
    const json_t *devices = json_object_get(document, "devices"), *benchmarks = json_object_get(document, "benchmarks");
    json_t *used = json_object(), *benchmark, *device;
    char id[32];
    size_t i, k;
    json_array_foreach(benchmarks, i, benchmark)
    {
        json_array_foreach(json_object_get(benchmark, "devices"), k, device)
        {
            snprintf(id, sizeof id, "%lld", (long long)json_integer_value(device));
            json_object_set_new(used, id, json_true());
        }
    }
    json_array_foreach(devices, i, device)
    {
        const char *name = lab_text_of(device, "name");
        snprintf(id, sizeof id, "%lld", (long long)lab_integer_of(device, "id", 0));
        if (json_object_get(used, id) != NULL)
            lab_reader_list(reader->file->devices, name, strlen(name));
    }
    json_decref(used);
}

void lab_nvbench_read_document(struct lab_reader *reader, const json_t *document)
{
    const json_t *versions = json_object_get(json_object_get(document, "meta"), "version");
    const json_t *benchmarks = json_object_get(document, "benchmarks");
    char pointer[LAB_POINTER_MAX];
    json_t *benchmark, *state;
    size_t i, k;
    lab_reader_set(&reader->file->version, lab_text_of(json_object_get(versions, "nvbench"), "string"));
    list_devices(reader, document);
    json_array_foreach(benchmarks, i, benchmark)
    {
        json_array_foreach(json_object_get(benchmark, "states"), k, state)
        {
            snprintf(pointer, sizeof pointer, "/benchmarks/%zu/states/%zu", i, k);
            read_state(reader, benchmark, state, pointer);
        }
    }
}
