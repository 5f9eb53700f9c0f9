/* NCCL tests, the JSON file. What is read of it is what the table has too (nccl_table.c), and the times of single
 * iterations (-I). */
#include "formats/readers.h"

#include "formats/nccl_names.h"
#include "formats/reader.h"

#include "core/json_members.h"
#include "core/number.h"

#include <stdio.h>
#include <string.h>

static const struct lab_schema figures_members[] = {
    {.name = "time", .type = LAB_TYPE_NUMBER},
    {.name = "cpu_time", .type = LAB_TYPE_NUMBER},
    {.name = "alg_bw", .type = LAB_TYPE_NUMBER},
    {.name = "bus_bw", .type = LAB_TYPE_NUMBER},
    {.name = "nwrong", .type = LAB_TYPE_NUMBER, .nullable = true},
    {0},
};

static const struct lab_schema iterations_members[] = {
    {.name = "skipped_iterations", .type = LAB_TYPE_INTEGER, .maximum = LAB_INTEGER_MAX},
    {LAB_GIVEN(NUMBER, "times_us"), .count = LAB_LIST},
    {0},
};

static const struct lab_schema result_members[] = {
    {LAB_GIVEN(INTEGER, "size"), .maximum = LAB_INTEGER_MAX},
    {LAB_GIVEN(STRING, "type")},
    {.name = "redop", .type = LAB_TYPE_STRING},
    {.name = "root", .type = LAB_TYPE_STRING},
    {.name = "out_of_place", .type = LAB_TYPE_OBJECT, .nullable = true, .members = figures_members, .open = true},
    {.name = "in_place", .type = LAB_TYPE_OBJECT, .nullable = true, .members = figures_members, .open = true},
    {.name = "out_of_place_per_iter", .type = LAB_TYPE_OBJECT, .members = iterations_members, .open = true},
    {.name = "in_place_per_iter", .type = LAB_TYPE_OBJECT, .members = iterations_members, .open = true},
    {0},
};

static const struct lab_schema device_members[] = {
    {.name = "hostname", .type = LAB_TYPE_STRING},
    {.name = "device_info", .type = LAB_TYPE_STRING},
    {0},
};

static const struct lab_schema config_members[] = {
    {.name = "devices", .type = LAB_TYPE_OBJECT, .count = LAB_LIST, .members = device_members, .open = true},
    {0},
};

const struct lab_schema lab_nccl_tests_members[] = {
    {LAB_GIVEN(OBJECT, "config"), .members = config_members, .open = true},
    {LAB_GIVEN(OBJECT, "results"), .count = LAB_LIST, .members = result_members, .open = true},
    {.name = "start_time", .type = LAB_TYPE_STRING},
    {.name = "args", .type = LAB_TYPE_STRING, .count = LAB_LIST},
    {.name = "nccl_version", .type = LAB_TYPE_INTEGER},
    {.name = "errors", .type = LAB_TYPE_STRING, .count = LAB_LIST},
    {0},
};

/* A result in one of its places, out of place and in place. */
struct placed {
    struct lab_place at;
    const char *operation;
    const json_t *result;
    bool in_place;
};

/* A new reference; NULL with an error. */
static json_t *read_axes(struct lab_reader *reader, const struct placed *placed)
{
    json_t *axes = json_object();
    bool good = true;
    if (placed->operation != NULL)
        good = lab_reader_axis_text(reader, &placed->at, axes, "operation", placed->operation);
    good = good && lab_reader_axis_number(reader, &placed->at, axes, "bytes", lab_number_of(placed->result, "size")) &&
           lab_nccl_axis(reader, &placed->at, axes, "type", lab_text_of(placed->result, "type")) &&
           lab_nccl_axis(reader, &placed->at, axes, "redop", lab_text_of(placed->result, "redop")) &&
           lab_nccl_axis(reader, &placed->at, axes, "root", lab_text_of(placed->result, "root")) &&
           lab_reader_axis_boolean(reader, &placed->at, axes, "in_place", placed->in_place);
    if (good)
        return axes;
    json_decref(axes);
    return NULL;
}

static void read_place(struct lab_reader *reader, const struct placed *placed)
{
    static const char *const names[][3] = {{"time", "time", "us"},
                                           {"cpu_time", "cpu_time", "us"},
                                           {"alg_bw", "algbw", "GB/s"},
                                           {"bus_bw", "busbw", "GB/s"}};
    const json_t *figures = json_object_get(placed->result, placed->in_place ? "in_place" : "out_of_place");
    const json_t *iterations =
        json_object_get(placed->result, placed->in_place ? "in_place_per_iter" : "out_of_place_per_iter");
    if (!json_is_object(figures) && !json_is_object(iterations))
        return;
    json_t *axes = read_axes(reader, placed);
    for (size_t i = 0; axes != NULL && i < sizeof names / sizeof *names; i++) {
        const struct lab_measured what = {placed->at, axes, names[i][1], names[i][2]};
        if (json_object_get(figures, names[i][0]) == NULL)
            continue;
        lab_reader_sample(reader, &what, lab_number_of(figures, names[i][0]));
        lab_reader_wrong(reader, &what, lab_number_of(figures, "nwrong"));
    }
    if (axes != NULL)
        lab_reader_samples(reader, &(struct lab_measured){placed->at, axes, "iteration_time", "us"},
                           json_object_get(iterations, "times_us"),
                           (size_t)lab_integer_of(iterations, "skipped_iterations", 0));
    json_decref(axes);
}

/* The version that a number of NCCL stands for: 22105 is 2.21.5, and before 2.9 2804 is 2.8.4. */
static void read_nccl_version(struct lab_reader *reader, long long number)
{
    char version[64];
    long long major = number >= 10000 ? 10000 : 1000;
    snprintf(version, sizeof version, "%lld.%lld.%lld", number / major, number % major / 100, number % 100);
    lab_reader_version(reader, "nccl", number > 0 ? version : NULL);
}

void lab_nccl_tests_read_document(struct lab_reader *reader, const json_t *document)
{
    const json_t *config = json_object_get(document, "config"), *results = json_object_get(document, "results");
    char pointer[LAB_POINTER_MAX], operation[LAB_NCCL_OPERATION_MAX + 1];
    const char *program = json_string_value(json_array_get(json_object_get(document, "args"), 0));
    bool named = program != NULL && lab_nccl_operation(program, operation);
    json_t *item;
    size_t i;
    lab_reader_set(&reader->file->date, lab_text_of(document, "start_time"));
    read_nccl_version(reader, (long long)lab_integer_of(document, "nccl_version", 0));
    json_array_foreach(json_object_get(config, "devices"), i, item)
    {
        const char *name = lab_text_of(item, "device_info");
        lab_reader_list(reader->file->devices, name, strlen(name));
        lab_nccl_host(reader, lab_text_of(item, "hostname"));
    }
    json_array_foreach(json_object_get(document, "errors"), i, item)
    {
        if (json_string_length(item) > 0)
            lab_reader_note(reader, "NCCL: %s", json_string_value(item));
    }
    json_array_foreach(results, i, item)
    {
        snprintf(pointer, sizeof pointer, "/results/%zu", i);
        for (int in_place = 0; in_place < 2; in_place++)
            read_place(reader, &(struct placed){{pointer, 0}, named ? operation : NULL, item, in_place != 0});
    }
}
