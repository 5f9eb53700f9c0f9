/* The published results: what each document says of each system. */
#include "experiment/references.h"

#include <stdio.h>
#include <string.h>

/* A figure of a system. */
struct figure {
    const char *axes, *metric;
    double value;
    const char *unit;
    /* Of a time: what the base is called that the times behind it are set against, where this is the base; else NULL.
     * */
    const char *base;
    const char *remark; /* NULL for none */
};

/* What a document says of a system; its figures end with axes NULL. */
struct publication {
    const char *experiment, *system, *source;
    const struct figure *figures;
};

/* --- transfer ----------------------------------------------------------------------------------------------------- */

static const char book_transfer[] = "Ruetsch and Fatica, CUDA Fortran for Scientists and Engineers, 3.1.1";

static const char pageable_up[] = "{\"direction\":\"h2d\",\"memory\":\"pageable\",\"bytes\":16777216}";
static const char pageable_down[] = "{\"direction\":\"d2h\",\"memory\":\"pageable\",\"bytes\":16777216}";
static const char pinned_up[] = "{\"direction\":\"h2d\",\"memory\":\"pinned\",\"bytes\":16777216}";
static const char pinned_down[] = "{\"direction\":\"d2h\",\"memory\":\"pinned\",\"bytes\":16777216}";

static const struct figure k20_e5540[] = {
    {pageable_up, "bandwidth", 1.659565, "GB/s", NULL, NULL},
    {pageable_down, "bandwidth", 1.593377, "GB/s", NULL, NULL},
    {pinned_up, "bandwidth", 5.745055, "GB/s", NULL, NULL},
    {pinned_down, "bandwidth", 6.566322, "GB/s", NULL, NULL},
    {0},
};
static const struct figure k20_e5_2667[] = {
    {pageable_up, "bandwidth", 3.251782, "GB/s", NULL, NULL},
    {pageable_down, "bandwidth", 3.301395, "GB/s", NULL, NULL},
    {pinned_up, "bandwidth", 6.213710, "GB/s", NULL, NULL},
    {pinned_down, "bandwidth", 6.608200, "GB/s", NULL, NULL},
    {0},
};

/* --- overlap ------------------------------------------------------------------------------------------------------ */

static const char pipeline[] =
    "Ruetsch and Fatica, CUDA Fortran for Scientists and Engineers, 3.1.3; article on asyncAPI "
    "and overlapping transfers";
static const char averaging[] = "Lecture \"Потоки CUDA\" (CUDA streams), averaging kernel on several streams";
static const char sequential[] = "sequential", one_stream[] = "one stream";

static const char waves[] = "{\"kernel\":\"waves\"}";
static const char waves_sequential[] = "{\"kernel\":\"waves\",\"variant\":\"sequential\"}";
static const char waves_depth_first[] = "{\"kernel\":\"waves\",\"variant\":\"depth-first\"}";
static const char waves_breadth_first[] = "{\"kernel\":\"waves\",\"variant\":\"breadth-first\"}";
static const char average_one[] = "{\"kernel\":\"average\",\"variant\":\"one-stream\",\"streams\":1}";
static const char average_depth_first[] = "{\"kernel\":\"average\",\"variant\":\"depth-first\",\"streams\":2}";
static const char average_interleaved[] = "{\"kernel\":\"average\",\"variant\":\"interleaved\",\"streams\":2}";

static const struct figure c1060[] = {
    {waves_sequential, "time", 12.92381e-3, "s", sequential, NULL},
    {waves_depth_first, "time", 13.63690e-3, "s", NULL, NULL},
    {waves_breadth_first, "time", 8.845888e-3, "s", NULL, NULL},
    {waves, "max_error", 2.3841858e-07, "1", NULL, NULL},
    {0},
};
static const struct figure c2050[] = {
    {waves_sequential, "time", 9.984512e-3, "s", sequential, NULL},
    {waves_depth_first, "time", 5.735584e-3, "s", NULL, NULL},
    {waves_breadth_first, "time", 7.597984e-3, "s", NULL, NULL},
    {waves, "max_error", 1.1920929e-07, "1", NULL, NULL},
    {0},
};
static const struct figure k20c[] = {
    {waves_sequential, "time", 7.101760e-3, "s", sequential, NULL},
    {waves_depth_first, "time", 3.974144e-3, "s", NULL, NULL},
    {waves_breadth_first, "time", 3.967616e-3, "s", NULL, NULL},
    {waves, "max_error", 1.1920929e-07, "1", NULL, NULL},
    {0},
};
static const struct figure gtx650[] = {
    {average_one, "time", 34.1e-3, "s", one_stream, NULL},
    {average_depth_first, "time", 34.1e-3, "s", NULL, NULL},
    {average_interleaved, "time", 23.7e-3, "s", NULL, NULL},
    {0},
};
static const struct figure gtx560ti[] = {
    {average_one, "time", 44.1e-3, "s", one_stream, NULL},
    {average_depth_first, "time", 44.4e-3, "s", NULL, NULL},
    {average_interleaved, "time", 41.6e-3, "s", NULL, NULL},
    {0},
};

/* --- scaling ------------------------------------------------------------------------------------------------------ */

static const char collisions[] =
    "Lecture \"Потоки CUDA\" (CUDA streams), several GPUs: collision kernel over 25,165,824 grid points";
static const char superlinear[] =
    "the published speedup of 4.4 on three devices comes with different kernel times: loops of 4,194,304 points took "
    "about 246.5 s on one device, 248.9 s on two and 164.6 s on three";

static const struct figure unnamed_gpus[] = {
    {"{\"scaling\":\"strong\",\"device_count\":1}", "time", 24 * 60 + 47.123, "s", "one device", superlinear},
    {"{\"scaling\":\"strong\",\"device_count\":2}", "time", 12 * 60 + 35.874, "s", NULL, superlinear},
    {"{\"scaling\":\"strong\",\"device_count\":3}", "time", 5 * 60 + 38.815, "s", NULL, superlinear},
    {0},
};

/* --- all ---------------------------------------------------------------------------------------------------------- */

static const struct publication publications[] = {
    {"transfer", "Tesla K20, Xeon E5540", book_transfer, k20_e5540},
    {"transfer", "Tesla K20, Xeon E5-2667", book_transfer, k20_e5_2667},
    {"overlap", "Tesla C1060", pipeline, c1060},
    {"overlap", "Tesla C2050", pipeline, c2050},
    {"overlap", "Tesla K20c", pipeline, k20c},
    {"overlap", "GeForce GTX 650", averaging, gtx650},
    {"overlap", "GeForce GTX 560 Ti", averaging, gtx560ti},
    {"scaling", "one to three GPUs, not named", collisions, unnamed_gpus},
};

typedef void lab_reference_taker(void *context, const struct lab_reference *reference);

/* How much faster than its base a published time is. */
static void take_speedup(const struct lab_reference *time, const struct figure *base, lab_reference_taker *take,
                         void *context)
{
    char remark[320];
    struct lab_reference speedup = *time;
    snprintf(remark, sizeof remark, "derived: %s / this%s%s", base->base, time->remark != NULL ? "; " : "",
             time->remark != NULL ? time->remark : "");
    speedup.metric = "speedup";
    speedup.value = base->value / time->value;
    speedup.unit = "1";
    speedup.remark = remark;
    take(context, &speedup);
}

static void take_publication(const struct publication *publication, lab_reference_taker *take, void *context)
{
    const struct figure *base = NULL;
    for (const struct figure *figure = publication->figures; figure->axes != NULL; figure++) {
        const struct lab_reference reference = {.experiment = publication->experiment,
                                                .system = publication->system,
                                                .axes = figure->axes,
                                                .metric = figure->metric,
                                                .value = figure->value,
                                                .unit = figure->unit,
                                                .source = publication->source,
                                                .remark = figure->remark};
        take(context, &reference);
        if (figure->base != NULL)
            base = figure;
        else if (base != NULL && strcmp(figure->metric, base->metric) == 0)
            take_speedup(&reference, base, take, context);
    }
}

void lab_references_each(const char *experiment, lab_reference_taker *take, void *context)
{
    for (size_t i = 0; i < sizeof publications / sizeof *publications; i++)
        if (experiment == NULL || strcmp(publications[i].experiment, experiment) == 0)
            take_publication(&publications[i], take, context);
}

static void append(void *context, const struct lab_reference *reference)
{
    json_t **list = context;
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:s, s:f, s:s, s:s, s:s?}", "experiment", reference->experiment, "system",
                  reference->system, "axes", json_loads(reference->axes, 0, NULL), "metric", reference->metric, "value",
                  reference->value, "unit", reference->unit, "source", reference->source, "remark", reference->remark);
    if (json_array_append_new(*list, object) != 0) { /* also when memory ran out before */
        json_decref(*list);
        *list = NULL;
    }
}

json_t *lab_references_to_json(const char *experiment)
{
    json_t *list = json_array();
    lab_references_each(experiment, append, &list);
    return list;
}
