/* In place of kernels/descriptor's list of experiments: those of the tests of server/jobs. */
#include "descriptor/parameters.h"
#include "support/fake_experiment.h"

static const char *const behaviour_choices[] = {"finish",
                                                "note-kernels",
                                                "wrong",
                                                "lost",
                                                "conflict-unless-first",
                                                "conflict-always",
                                                "conflict-late",
                                                "conflict-unless-first-slow",
                                                "slow",
                                                "crash",
                                                "deaf",
                                                "ignore",
                                                "flood",
                                                "garbage",
                                                "too-deep",
                                                "success-despite-cancel",
                                                "bad-measurement",
                                                "impossible-measurement",
                                                "kernel-without-name",
                                                "kernel-with-text",
                                                "bad-status",
                                                "idle-death",
                                                "stuck",
                                                "silent",
                                                "skip",
                                                "empty",
                                                "exit-at-start",
                                                "exit-at-start-unless-first",
                                                "calibrate",
                                                "group",
                                                "group-slow",
                                                "group-crash",
                                                "group-wrong",
                                                NULL};
static const char *const tracing_choices[] = {
    "trace", "trace-half", "silent",  "bad-span",         "wrong", "slow", "deaf",
    "exit",  "crash",      "garbage", "trace-calibrated", NULL};

/* A parameter with one choice. */
#define CHOICE(name_, text_, choices_, fallback_)                                                                      \
    .name = (name_), .title = (name_), .text = (text_), .type = LAB_TYPE_CHOICE, .choices = (choices_),                \
    .fallback = "\"" fallback_ "\""

static const struct lab_schema probe_parameters[] = {
    {CHOICE("behaviour", "What the worker does.", behaviour_choices, "finish")},
    {LAB_INTEGER("points", "Points", "Points of the plan.", 3), .minimum = 1, .maximum = 1000000},
    {.name = NULL},
};
static const struct lab_schema timeline_parameters[] = {
    {CHOICE("behaviour", "What the worker does.", behaviour_choices, "finish")},
    {CHOICE("tracing", "What the worker does when it traces.", tracing_choices, "trace")},
    {.name = NULL},
};

static bool probe_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                       size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    estimate->points = (size_t)lab_parameter_integer(parameters, "points");
    estimate->seconds = (double)estimate->points;
    if (estimate->points == 13)
        return lab_errors_add(errors, LAB_ERROR_REFUSED, "/parameters/points", "13 points on %s and %zu more",
                              devices[0]->id, device_count - 1);
    return true;
}

/* Its source "note-kernels" can be edited. */
static const struct lab_axis shown_axes[] = {{.name = "behaviour", .title = "Behaviour"}, {.name = NULL}};
static const struct lab_source shown_sources[] = {
    {"note-kernels", "cuda", "Notes", "Notes its kernels.", {{"kernels/experiments/shown/shown.cu", NULL}}}, {0}};

static const struct lab_preset probe_presets[] = {{"brief", "{\"points\": 1}"}, {"refused", "{\"points\": 13}"}, {0}};

#define PROBE .parameters = probe_parameters, .plan = probe_plan, .presets = probe_presets
FAKE_EXPERIMENT(probe, PROBE)
FAKE_EXPERIMENT(pair, PROBE, .devices_min = 2, .devices_max = 2)
FAKE_EXPERIMENT(group, PROBE, .devices_max = 16)
FAKE_EXPERIMENT(timeline, .parameters = timeline_parameters, .traced = true)
FAKE_EXPERIMENT(shown, PROBE, .axes = shown_axes, .sources = shown_sources, .edits = true)
FAKE_EXPERIMENT(spanning, PROBE, .devices_max = 16, .spans_nodes = true)
const struct lab_experiment *const lab_experiments[] = {&probe, &pair, &group, &timeline, &shown, &spanning, NULL};
