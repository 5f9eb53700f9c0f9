/* Computes the metrics of peer from the samples of a point. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct lab_measurement measurement_of(const struct lab_run *run, const struct peer_point *point)
{
    struct lab_measurement measurement = {.cache = "warm",
                                          .numa_node = peer_with_host(point) ? run->numa_node : LAB_UNKNOWN};
    struct lab_axes *axes = &measurement.axes;
    lab_axes_text(axes, "pattern", peer_patterns[point->pattern]);
    lab_axes_number(axes, "bytes", (int64_t)point->bytes);
    lab_axes_text(axes, "engine", peer_engines[point->engine]);
    if (!peer_with_host(point)) {
        lab_axes_flag(axes, "peer_access", point->peer_access);
        lab_axes_text(axes, "access", peer_operations[point->operation]);
    }
    if (point->pattern == PEER_PAIR || point->pattern == PEER_BOTH_WAYS)
        lab_axes_flag(axes, "opposing", point->pattern == PEER_BOTH_WAYS);
    if (point->source != PEER_ALL)
        lab_axes_text(axes, "source", run->devices[point->source]->facts.id);
    if (point->target != PEER_ALL)
        lab_axes_text(axes, "target", run->devices[point->target]->facts.id);
    return measurement;
}

/* --- the peak ----------------------------------------------------------------------------------------------------- */

static bool joined_by_pcie(const struct lab_device_facts *facts, const char *other)
{
    for (size_t i = 0; i < facts->peer_count; i++)
        if (strcmp(facts->peers[i].id, other) == 0)
            return strcmp(facts->peers[i].link, "PCIe") == 0;
    return false;
}

/* The device whose PCIe link limits a single copy; between two devices, the one with the slower link. NULL if the copy
 * does not use PCIe, or if several copies are measured. */
static const struct lab_device_facts *link_of(const struct lab_run *run, const struct peer_point *point)
{
    const struct lab_device_facts *source = point->source != PEER_ALL ? &run->devices[point->source]->facts : NULL;
    const struct lab_device_facts *target = point->target != PEER_ALL ? &run->devices[point->target]->facts : NULL;
    if (!peer_is_single(point))
        return NULL;
    if (peer_with_host(point) || source == NULL || target == NULL)
        return source != NULL ? source : target;
    if (!point->peer_access || !joined_by_pcie(source, target->id))
        return NULL;
    return source->pcie_peak_bytes_per_s < target->pcie_peak_bytes_per_s ? source : target;
}

/* Sets *peak to the theoretical peak in GB/s and writes its description to `what`, to which peak->what then points.
 * Returns false if the peak is unknown. */
static bool peak_of(const struct lab_run *run, const struct peer_point *point, char *what, size_t size,
                    struct lab_peak *peak)
{
    const struct lab_device_facts *link = link_of(run, point);
    if (link == NULL || !(link->pcie_peak_bytes_per_s > 0))
        return false;
    snprintf(what, size, "PCIe gen%lld x%lld, one direction", (long long)link->pcie_max_generation,
             (long long)link->pcie_max_width);
    *peak = (struct lab_peak){link->pcie_peak_bytes_per_s / 1e9, what};
    return true;
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static bool report_bandwidth(struct lab_run *run, const struct peer_point *point, size_t copies,
                             struct lab_measurement *measurement, const struct lab_outcome *outcome)
{
    double gigabytes = (double)copies * (double)point->bytes / 1e9;
    char what[64];
    struct lab_peak peak;
    bool has_peak = peak_of(run, point, what, sizeof what, &peak);
    const char *metric = peer_is_single(point) ? "bandwidth" : "aggregate_bandwidth";
    measurement->peak = has_peak ? &peak : NULL;
    bool good =
        lab_report_outcome(run, measurement, outcome, metric, "GB/s", gigabytes) &&
        (!has_peak || lab_report_outcome(run, measurement, outcome, "share_of_peak", "1", gigabytes / peak.value));
    measurement->peak = NULL;
    return good && lab_report_outcome(run, measurement, outcome, "time", "s", 0);
}

bool peer_report_outcome(struct lab_run *run, const struct peer_point *point, size_t copies,
                         const struct lab_outcome *outcome)
{
    struct lab_measurement measurement = measurement_of(run, point);
    lab_measurement_from_outcome(&measurement, outcome);
    if (point->latency)
        return lab_report_outcome(run, &measurement, outcome, "latency", "s", 0);
    return report_bandwidth(run, point, copies, &measurement, outcome);
}

void peer_report_skipped(struct lab_run *run, const struct peer_point *point, const char *reason)
{
    struct lab_measurement measurement = measurement_of(run, point);
    bool single = peer_is_single(point);
    measurement.metric = point->latency ? "latency" : single ? "bandwidth" : "aggregate_bandwidth";
    measurement.unit = point->latency ? "s" : "GB/s";
    measurement.skipped = reason;
    measurement.cache = NULL;
    measurement.numa_node = LAB_UNKNOWN;
    lab_summarise(NULL, 0, &measurement.summary);
    run->sink.measurement(run->sink.context, &measurement);
}
