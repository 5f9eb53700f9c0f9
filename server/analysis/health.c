/* Judges the measurements of a health run by one table of rules. */
#include "analysis/health.h"

#include "analysis/health_reference.h"

#include "core/throttle.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rule applies to the values of a metric, of one check or of all. A finding is a value above the number of a LIMIT;
 * with any other basis, one below that share of what it is compared with. NEVER: no value has that level.
 *
 * Shares of peaks are those that sound devices of all generations exceed, so that they find gross faults on a machine
 * that has no history: an H200 copies at 88 % of its link's peak and multiplies at 80 % of its tensor cores'
 * (transfer.json, matmul.json). Devices of one model, and runs on one device, differ by a few percent. Errors that the
 * device has dealt with, by replacing memory, are warnings. */
#define NEVER NAN
static const struct rule {
    const char *check; /* NULL: all */
    const char *metric;
    enum lab_health_basis basis;
    double warning, failure;
} rules[] = {
    {"link-width", "reading", LAB_HEALTH_PEAK, 1, 1},
    {"link-generation", "reading", LAB_HEALTH_PEAK, 1, 1},
    {"h2d", "bandwidth", LAB_HEALTH_PEAK, 0.75, 0.5},
    {"d2h", "bandwidth", LAB_HEALTH_PEAK, 0.75, 0.5},
    {"memory", "bandwidth", LAB_HEALTH_PEAK, 0.7, 0.55},
    {"gemm", "throughput", LAB_HEALTH_PEAK, 0.4, 0.25},
    {"gemm", "clock", LAB_HEALTH_PEAK, 0.6, 0.3},
    {"ecc-uncorrected", "reading", LAB_HEALTH_LIMIT, 0, 0},
    {"ecc-uncorrected-lifetime", "reading", LAB_HEALTH_LIMIT, 0, NEVER},
    {"remapped-rows", "reading", LAB_HEALTH_LIMIT, 0, NEVER},
    {"remap-pending", "reading", LAB_HEALTH_LIMIT, 0, NEVER},
    {"remap-failed", "reading", LAB_HEALTH_LIMIT, 0, 0},
    {"retired-pages", "reading", LAB_HEALTH_LIMIT, 0, NEVER},
    {"retirement-pending", "reading", LAB_HEALTH_LIMIT, 0, NEVER},
    {"processes", "reading", LAB_HEALTH_LIMIT, 1, NEVER},
    {"p2p", "bandwidth", LAB_HEALTH_OPPOSITE, 0.9, 0.75},
    {NULL, "bandwidth", LAB_HEALTH_HISTORY, 0.9, 0.85},
    {NULL, "throughput", LAB_HEALTH_HISTORY, 0.9, 0.85},
    {"h2d", "bandwidth", LAB_HEALTH_PEERS, 0.9, 0.8},
    {"d2h", "bandwidth", LAB_HEALTH_PEERS, 0.9, 0.8},
    {"memory", "bandwidth", LAB_HEALTH_PEERS, 0.9, 0.8},
    {"gemm", "throughput", LAB_HEALTH_PEERS, 0.9, 0.8},
};

struct judgement {
    struct lab_health_values all;
    void (*report)(void *context, const struct lab_health_finding *finding);
    void *context;
};

const char *const lab_health_level_names[] = {"skipped", "ok", "warning", "failure", NULL};
const char *const lab_health_basis_names[] = {"result", "limit", "peak", "history", "peers", "opposite", NULL};

static struct lab_health_reference find_reference(struct judgement *j, const struct rule *rule,
                                                  const struct lab_health_value *value)
{
    switch (rule->basis) {
    case LAB_HEALTH_PEAK:
        return lab_health_find_peak(value);
    case LAB_HEALTH_HISTORY:
        return lab_health_find_history(&j->all, value);
    case LAB_HEALTH_PEERS:
        return lab_health_find_peers(&j->all, value);
    case LAB_HEALTH_OPPOSITE:
        return lab_health_find_opposite(&j->all, value);
    default:
        return (struct lab_health_reference){rule->warning, NAN, ""};
    }
}

/* --- findings ----------------------------------------------------------------------------------------------------- */

/* Begins the text with what the finding is about: "GPU-1: h2d ", "GPU-1: p2p to GPU-2 ", "GPU-1: gemm clock ". */
static void write_subject(struct lab_health_finding *finding)
{
    const struct lab_health_value *value = finding->value;
    bool clock = strcmp(value->metric, "clock") == 0;
    finding->statement = (size_t)snprintf(finding->text, sizeof finding->text, "%.64s: %.32s%s%s%.64s ", value->device,
                                          value->check, clock ? " clock" : "", value->peer != NULL ? " to " : "",
                                          value->peer != NULL ? value->peer : "");
}

/* Completes the text with a statement about its subject, and reports the finding. */
__attribute__((format(printf, 3, 4))) static void
report_statement(const struct judgement *j, struct lab_health_finding *finding, const char *statement, ...)
{
    va_list values;
    write_subject(finding);
    va_start(values, statement);
    vsnprintf(finding->text + finding->statement, sizeof finding->text - finding->statement, statement, values);
    va_end(values);
    j->report(j->context, finding);
}

static enum lab_health_level level_of(const struct rule *rule, double value,
                                      const struct lab_health_reference *reference)
{
    if (value >= reference->usual)
        return LAB_HEALTH_OK;
    bool limit = rule->basis == LAB_HEALTH_LIMIT;
    if (limit ? value > rule->failure : value < rule->failure * reference->value)
        return LAB_HEALTH_FAILURE;
    return (limit ? value > rule->warning : value < rule->warning * reference->value) ? LAB_HEALTH_WARNING
                                                                                      : LAB_HEALTH_OK;
}

static bool has_other_processes(const struct judgement *j, const char *device)
{
    for (size_t i = 0; device != NULL && i < j->all.count && j->all.values[i].run == 0; i++) {
        const struct lab_health_value *value = &j->all.values[i];
        if (strcmp(value->check, "processes") == 0 && strcmp(value->device, device) == 0 && value->value > 1)
            return true;
    }
    return false;
}

/* Whether a rate may be low because other processes use its devices: no reason to call a device unhealthy. */
static bool is_disturbed(const struct judgement *j, const struct lab_health_value *value)
{
    return strcmp(value->metric, "reading") != 0 &&
           (value->contended || has_other_processes(j, value->device) || has_other_processes(j, value->peer));
}

static int percent(double share)
{
    return (int)lround(100 * share);
}

static void apply(struct judgement *j, const struct rule *rule, const struct lab_health_value *value)
{
    const struct lab_health_reference reference = find_reference(j, rule, value);
    char measured[LAB_FORMAT_SIZE], expected[LAB_FORMAT_SIZE];
    struct lab_health_finding finding = {.basis = rule->basis, .value = value, .expected = reference.value};
    if (!isfinite(reference.value))
        return;
    finding.limit = rule->basis == LAB_HEALTH_LIMIT ? rule->warning : rule->warning * reference.value;
    finding.level = level_of(rule, value->value, &reference);
    bool disturbed = finding.level >= LAB_HEALTH_WARNING && is_disturbed(j, value);
    if (disturbed)
        finding.level = LAB_HEALTH_WARNING;
    lab_health_write_quantity(value, value->value, measured);
    lab_health_write_quantity(value, reference.value, expected);
    if (rule->basis == LAB_HEALTH_LIMIT)
        report_statement(j, &finding, "is %s; expected %s%s", measured, rule->warning > 0 ? "at most " : "", expected);
    else
        report_statement(j, &finding, "is %s, %d %% of %s (%s); expected at least %d %%%s", measured,
                         percent(value->value / reference.value), expected, reference.source, percent(rule->warning),
                         disturbed ? ", but other processes use the device" : "");
}

/* Every device can copy, so a copy is skipped only where it takes far too long. */
static enum lab_health_level level_of_skipped(const struct lab_health_value *value)
{
    static const char *const copies[] = {"h2d", "d2h", "memory"};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (strcmp(value->check, copies[i]) == 0)
            return LAB_HEALTH_FAILURE;
    return LAB_HEALTH_SKIPPED;
}

/* Reports a check that was skipped, or whose result was compared with the expected one. */
static void report_result(const struct judgement *j, const struct lab_health_value *value)
{
    char measured[LAB_FORMAT_SIZE];
    struct lab_health_finding finding = {.basis = LAB_HEALTH_RESULT, .value = value, .expected = NAN, .limit = NAN};
    finding.level = value->skipped != NULL ? level_of_skipped(value)
                    : value->verified      ? LAB_HEALTH_OK
                                           : LAB_HEALTH_FAILURE;
    if (value->skipped != NULL)
        report_statement(j, &finding, "is skipped: %.120s", value->skipped);
    else
        report_statement(j, &finding, "gives %s result, at %s", value->verified ? "the right" : "a wrong",
                         lab_health_write_quantity(value, value->value, measured));
}

/* Whether the clock was lowered for the reason while the value was measured. */
static bool has_reason(const struct lab_health_value *value, const char *reason)
{
    for (size_t i = 0; i < value->throttle_count; i++)
        if (strcmp(value->throttle[i], reason) == 0)
            return true;
    return false;
}

/* A reason is reported once for each device, of the first check that has it. */
static bool is_reported(const struct judgement *j, const struct lab_health_value *value, const char *reason)
{
    for (const struct lab_health_value *before = j->all.values; before < value; before++)
        if (strcmp(before->device, value->device) == 0 && has_reason(before, reason))
            return true;
    return false;
}

static void report_throttling(const struct judgement *j, const struct lab_health_value *value)
{
    for (const struct lab_throttle_reason *reason = lab_throttle_reasons; reason->name != NULL; reason++) {
        struct lab_health_finding finding = {
            .level = LAB_HEALTH_FAILURE, .basis = LAB_HEALTH_LIMIT, .value = value, .expected = NAN, .limit = NAN};
        if (reason->kind == LAB_THROTTLE_FAULT && has_reason(value, reason->name) &&
            !is_reported(j, value, reason->name))
            report_statement(j, &finding, "had the clock lowered (%s); expected no such reason", reason->name);
    }
}

static bool applies(const struct rule *rule, const struct lab_health_value *value)
{
    return (rule->check == NULL || strcmp(rule->check, value->check) == 0) && strcmp(rule->metric, value->metric) == 0;
}

static void judge(struct judgement *j, const struct lab_health_value *value)
{
    if (value->skipped != NULL || value->verified >= 0)
        report_result(j, value);
    report_throttling(j, value);
    for (size_t i = 0; value->skipped == NULL && value->verified != 0 && i < sizeof rules / sizeof *rules; i++)
        if (applies(&rules[i], value))
            apply(j, &rules[i], value);
}

bool lab_health_judge(const struct lab_health_value *values, size_t count,
                      void (*report)(void *context, const struct lab_health_finding *finding), void *context)
{
    struct judgement j = {{values, count, calloc(count + 1, sizeof(double)), false}, report, context};
    j.all.failed = j.all.selected == NULL;
    for (size_t i = 0; !j.all.failed && i < count && values[i].run == 0; i++)
        judge(&j, &values[i]);
    free(j.all.selected);
    return !j.all.failed;
}
