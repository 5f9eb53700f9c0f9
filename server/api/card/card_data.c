/* Reads what the card of a device shows: figures, latencies and the last health check, and where they stand. */
#include "card.h"

#include "history/health_runs.h"
#include "runs/list.h"

#include "core/json_members.h"
#include "core/json_text.h"
#include "core/run_status.h"
#include "descriptor/references.h"
#include "jobs/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Devices of the model that are compared, and health runs among which the last one of a device is looked for. */
enum { DEVICES = 16, HEALTH_RUNS = 20 };

/* The figures: headlines of experiments, those of an experiment in a row. */
static const struct {
    const char *experiment, *headline, *label;
} shown[LAB_CARD_FIGURES] = {
    {"transfer", "Host to device", "Copy from the host"},
    {"transfer", "Device to host", "Copy to the host"},
    {"stream", "Read", "Read memory"},
    {"stream", "Write", "Write memory"},
    {"stream", "Copy", "Copy in memory"},
    {"stream", "Triad", "Triad, a + s b"},
    {"vector-add", "Bandwidth", "Add vectors"},
    {"constant-texture", "Image as a texture", "Read a texture"},
    {"occupancy-ilp", "Multiply-add", "Multiply-add, fp32"},
    {"matmul", "fp32", "Matrix product, fp32"},
    {"matmul", "bf16", "Matrix product, bf16"},
    {"intrinsics", "sin, fast", "Fast sine"},
};

struct reading {
    const struct lab_request *request;
    struct lab_store *store;
    struct lab_card *card;
    size_t count;
    char *devices[DEVICES]; /* ids: the device of the card, then the others of its model */
    enum lab_store_result result;
};

/* --- the device and the others of its model ----------------------------------------------------------------------- */

struct naming {
    const char *id;
    char name[LAB_CARD_TEXT]; /* "": not found */
};

static void take_name(void *context, const struct lab_device_row *device)
{
    struct naming *naming = context;
    if (device->name != NULL && strcmp(device->id, naming->id) == 0)
        snprintf(naming->name, sizeof naming->name, "%s", device->name);
}

static void take_other(void *context, const struct lab_device_row *device)
{
    struct reading *reading = context;
    if (reading->count < DEVICES && device->name != NULL && strcmp(device->name, reading->card->model) == 0 &&
        strcmp(device->id, reading->devices[0]) != 0)
        reading->devices[reading->count++] = strdup(device->id);
}

/* The model of a device: what the lab says of it, else what its runs say. */
static enum lab_store_result find_model(const struct lab_request *request, const char *id, char model[LAB_CARD_TEXT])
{
    struct naming naming = {.id = id};
    json_t *document = lab_jobs_last_devices(lab_api_of(request)->jobs), *device = lab_device_find(document, id);
    snprintf(naming.name, sizeof naming.name, "%s", lab_text_of(device, "name"));
    json_decref(device);
    json_decref(document);
    enum lab_store_result result = LAB_STORE_OK;
    if (naming.name[0] == '\0')
        result = lab_store_list_devices(lab_api_of(request)->store, take_name, &naming);
    snprintf(model, LAB_CARD_TEXT, "%s", naming.name);
    return result != LAB_STORE_OK || model[0] != '\0' ? result : LAB_STORE_NOT_FOUND;
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

/* Counts `other` of the same figure. */
static void rank_add(struct lab_card_rank *rank, double value, double other, bool lowest)
{
    if (!isfinite(value) || !isfinite(other))
        return;
    rank->of++;
    rank->place += lowest ? other < value : other > value;
}

static const json_t *find_headline(const json_t *run, const char *title)
{
    const json_t *headline;
    size_t index;
    json_array_foreach(json_object_get(run, "headline"), index, headline)
    {
        if (strcmp(lab_text_of(headline, "title"), title) == 0)
            return headline;
    }
    return NULL;
}

static void take_figure(struct lab_card_figure *figure, const json_t *headline)
{
    static const char share_of[] = "Share of ";
    const json_t *share = json_object_get(headline, "share");
    const char *title = lab_text_of(share, "title");
    bool named = strncmp(title, share_of, sizeof share_of - 1) == 0;
    figure->value = lab_number_of(headline, "value");
    figure->share = lab_number_of(share, "value");
    figure->rank = (struct lab_card_rank){1, 1};
    snprintf(figure->unit, sizeof figure->unit, "%s", lab_text_of(headline, "unit"));
    snprintf(figure->whole, sizeof figure->whole, "%s", title + (named ? sizeof share_of - 1 : 0));
}

struct published {
    struct lab_card_figure *figure;
    const char *model;
    const json_t *headline;
};

static void rank_published(void *context, const struct lab_experiment *experiment,
                           const struct lab_reference *reference)
{
    struct published *published = context;
    (void)experiment;
    if (strcmp(reference->metric, lab_text_of(published->headline, "metric")) != 0 ||
        !lab_reference_is_of_system(reference->system, published->model, 1))
        return;
    json_t *axes = lab_json_stored(reference->axes);
    if (axes != NULL && lab_reference_is_of_point(axes, json_object_get(published->headline, "axes")))
        rank_add(&published->figure->rank, published->figure->value, reference->value,
                 json_is_true(json_object_get(published->headline, "lowest")));
    json_decref(axes);
}

/* Where the figure stands among those of the run of another device, which are at the same point. */
static void rank_other(struct lab_card_figure *figure, const json_t *headline, const json_t *other)
{
    if (json_equal(json_object_get(headline, "axes"), json_object_get(other, "axes")) &&
        json_equal(json_object_get(headline, "metric"), json_object_get(other, "metric")))
        rank_add(&figure->rank, figure->value, lab_number_of(other, "value"),
                 json_is_true(json_object_get(headline, "lowest")));
}

/* The run of an experiment that stands for a device, if it had no other device: a new reference, or NULL. */
static json_t *run_of(struct reading *reading, const char *experiment, const char *device)
{
    const struct lab_experiment *found = lab_experiment_find(experiment);
    json_t *run = found != NULL && reading->result == LAB_STORE_OK
                      ? lab_run_standing_for(reading->request, found, device, &reading->result)
                      : NULL;
    if (json_array_size(json_object_get(run, "devices")) == 1)
        return run;
    json_decref(run);
    return NULL;
}

/* Reads the figures `first` to `end`, which are of one experiment. */
static void read_experiment(struct reading *reading, size_t first, size_t end)
{
    struct lab_card *card = reading->card;
    json_t *run = run_of(reading, shown[first].experiment, reading->devices[0]);
    int64_t at = LAB_NO_TIME;
    if (run != NULL && lab_time_parse(lab_text_of(run, "created_at"), &at) && at > card->measured_at)
        card->measured_at = at;
    for (size_t i = first; i < end; i++) {
        const json_t *headline = find_headline(run, shown[i].headline);
        if (headline == NULL)
            continue;
        take_figure(&card->figures[i], headline);
        struct published published = {&card->figures[i], card->model, headline};
        lab_references_each(shown[i].experiment, rank_published, &published);
    }
    for (size_t k = 1; run != NULL && k < reading->count; k++) {
        json_t *other = run_of(reading, shown[first].experiment, reading->devices[k]);
        for (size_t i = first; i < end; i++)
            rank_other(&card->figures[i], find_headline(run, shown[i].headline),
                       find_headline(other, shown[i].headline));
        json_decref(other);
    }
    json_decref(run);
}

static void read_figures(struct reading *reading)
{
    size_t end;
    for (size_t i = 0; i < LAB_CARD_FIGURES; i++)
        reading->card->figures[i] = (struct lab_card_figure){.label = shown[i].label, .value = NAN, .share = NAN};
    for (size_t first = 0; first < LAB_CARD_FIGURES; first = end) {
        for (end = first + 1; end < LAB_CARD_FIGURES; end++)
            if (strcmp(shown[end].experiment, shown[first].experiment) != 0)
                break;
        read_experiment(reading, first, end);
    }
}

/* --- the latency stairs ------------------------------------------------------------------------------------------- */

static struct lab_card_stair *stair_at(struct lab_card *card, double bytes)
{
    for (size_t i = 0; i < card->stair_count; i++)
        if (card->stairs[i].bytes == bytes)
            return &card->stairs[i];
    if (card->stair_count == LAB_CARD_STAIRS)
        return NULL;
    card->stairs[card->stair_count] = (struct lab_card_stair){.bytes = bytes, .seconds = NAN};
    return &card->stairs[card->stair_count++];
}

static void take_stair(void *context, const struct lab_measurement_row *row)
{
    bool is_level = strcmp(row->metric, "level") == 0;
    if (!isfinite(row->median) || row->verified == 0 || (!is_level && strcmp(row->metric, "latency") != 0))
        return;
    json_t *axes = lab_json_stored_object(row->axes);
    double bytes = lab_number_of(axes, "working_set");
    bool counts = bytes > 0 && strcmp(lab_text_of(axes, "variant"), "chase") == 0 &&
                  strcmp(lab_text_of(axes, "cache"), "warm") == 0;
    struct lab_card_stair *stair = counts ? stair_at(context, bytes) : NULL;
    json_decref(axes);
    if (stair != NULL && is_level)
        stair->level = (int64_t)row->median;
    else if (stair != NULL)
        stair->seconds = row->median;
}

static int by_bytes(const void *a, const void *b)
{
    double left = ((const struct lab_card_stair *)a)->bytes, right = ((const struct lab_card_stair *)b)->bytes;
    return (left > right) - (left < right);
}

static void read_stairs(struct reading *reading)
{
    struct lab_card *card = reading->card;
    json_t *run = run_of(reading, "memory-hierarchy", reading->devices[0]);
    if (run != NULL)
        reading->result =
            lab_store_list_measurements(reading->store, lab_text_of(run, "id"), 0, SIZE_MAX, take_stair, card);
    if (reading->result == LAB_STORE_NOT_FOUND) /* deleted meanwhile */
        reading->result = LAB_STORE_OK;
    qsort(card->stairs, card->stair_count, sizeof *card->stairs, by_bytes);
    json_decref(run);
}

/* --- the health check --------------------------------------------------------------------------------------------- */

static void take_ended(void *context, const struct lab_run_row *row)
{
    char *id = context;
    if (id[0] == '\0' && (row->status == LAB_STATUS_SUCCEEDED || row->status == LAB_STATUS_FAILED))
        snprintf(id, LAB_RUN_ID_SIZE, "%s", row->id);
}

/* What the last health check of a device that has ended says; NULL: none has. A new reference. */
static json_t *health_of(struct reading *reading, const char *device)
{
    const struct lab_experiment *checks = lab_experiment_of_checks();
    char id[LAB_RUN_ID_SIZE] = "";
    bool more;
    if (checks == NULL || reading->result != LAB_STORE_OK)
        return NULL;
    const struct lab_run_filter filter = {
        .experiment = checks->name, .device = device, .since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = HEALTH_RUNS};
    reading->result = lab_store_list_runs(reading->store, &filter, take_ended, id, &more);
    return id[0] != '\0' ? lab_machine_health(lab_api_of(reading->request), id) : NULL;
}

static bool is_about(const json_t *finding, const char *device)
{
    const char *whose = lab_optional_text_of(finding, "device");
    return whose == NULL || strcmp(whose, device) == 0;
}

static void take_verdict(struct lab_card *card, const json_t *health, const char *device)
{
    const json_t *finding;
    size_t index;
    json_array_foreach(json_object_get(health, "findings"), index, finding)
    {
        const char *level = lab_text_of(finding, "level");
        if (!is_about(finding, device))
            continue;
        card->ok += strcmp(level, lab_health_level_names[LAB_HEALTH_OK]) == 0;
        card->warnings += strcmp(level, lab_health_level_names[LAB_HEALTH_WARNING]) == 0;
        card->failures += strcmp(level, lab_health_level_names[LAB_HEALTH_FAILURE]) == 0;
    }
    if (health != NULL && card->ok + card->warnings + card->failures > 0)
        card->verdict = card->failures > 0 ? "unhealthy" : card->warnings > 0 ? "warning" : "healthy";
}

/* The value of a device in a check that is a headline; NAN: none. */
static double checked_value(const json_t *health, const char *device, const struct lab_headline *headline)
{
    const json_t *finding;
    size_t index;
    json_array_foreach(json_object_get(health, "findings"), index, finding)
    {
        if (strcmp(lab_text_of(finding, "device"), device) == 0 &&
            strcmp(lab_text_of(finding, headline->at[0].axis), headline->at[0].text) == 0 &&
            strcmp(lab_text_of(finding, "metric"), headline->metric) == 0)
            return lab_number_of(finding, "value");
    }
    return (double)NAN;
}

static void read_health(struct reading *reading)
{
    struct lab_card *card = reading->card;
    const struct lab_experiment *checks = lab_experiment_of_checks();
    const struct lab_headline *headlines = checks != NULL ? checks->headlines : NULL;
    json_t *documents[DEVICES] = {NULL};
    for (size_t k = 0; k < reading->count; k++)
        documents[k] = health_of(reading, reading->devices[k]);
    take_verdict(card, documents[0], reading->devices[0]);
    for (size_t i = 0; headlines != NULL && headlines[i].title != NULL && i < LAB_CARD_CHECKS; i++) {
        double value = checked_value(documents[0], reading->devices[0], &headlines[i]);
        struct lab_card_rank rank = {1, 1};
        for (size_t k = 1; k < reading->count; k++)
            rank_add(&rank, value, checked_value(documents[k], reading->devices[k], &headlines[i]),
                     headlines[i].lowest);
        if (rank.of > 1)
            card->checks[card->check_count++] = (struct lab_card_check){headlines[i].title, rank};
    }
    for (size_t k = 0; k < reading->count; k++)
        json_decref(documents[k]);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

enum lab_store_result lab_card_read(const struct lab_request *request, const char *device, struct lab_card *card)
{
    struct reading reading = {
        .request = request, .store = lab_api_of(request)->store, .card = card, .count = 1, .devices = {strdup(device)}};
    *card = (struct lab_card){.measured_at = LAB_NO_TIME};
    reading.result = reading.devices[0] != NULL ? find_model(request, device, card->model) : lab_store_no_memory();
    if (reading.result == LAB_STORE_OK)
        reading.result = lab_store_list_devices(reading.store, take_other, &reading);
    for (size_t k = 0; k < reading.count; k++)
        if (reading.devices[k] == NULL)
            reading.result = lab_store_no_memory();
    if (reading.result == LAB_STORE_OK) {
        read_figures(&reading);
        read_stairs(&reading);
        read_health(&reading);
    }
    for (size_t k = 0; k < reading.count; k++)
        free(reading.devices[k]);
    return reading.result;
}
