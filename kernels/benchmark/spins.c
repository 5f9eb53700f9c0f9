/* Launches of kernels that each take a given time, and what their records show. */
#include "benchmark/spins.h"

#include <stdio.h>

void lab_spins_describe(struct lab_workload *workload, const struct lab_spins *spins)
{
    uint64_t ns = (uint64_t)(1e9 * spins->seconds);
    size_t bytes = spins->count * spins->blocks * sizeof(struct lab_spin_record);
    size_t records = lab_workload_output(workload, bytes);
    for (size_t k = 0; k < spins->count; k++) {
        lab_workload_add_step(workload, spins->kernel);
        LAB_ARGUMENTS(workload, LAB_BUFFER(records), LAB_U32(k), LAB_U64(ns));
        lab_workload_launch(workload, spins->blocks, LAB_SPIN_THREADS);
        workload->steps[k].launch.shared_bytes = spins->shared_bytes;
    }
    workload->waits = true;
    workload->check = LAB_CHECK(spins->check, records, spins->blocks, ns);
    workload->records = (struct lab_workload_records){records, bytes};
}

/* The start of the first block and the end of the last one of a kernel. */
static struct lab_spin_record extent_of(const struct lab_spin_record *records, size_t kernel, size_t blocks)
{
    struct lab_spin_record extent = records[kernel * blocks];
    for (size_t i = kernel * blocks; i < (kernel + 1) * blocks; i++) {
        extent.start_ns = records[i].start_ns < extent.start_ns ? records[i].start_ns : extent.start_ns;
        extent.end_ns = records[i].end_ns > extent.end_ns ? records[i].end_ns : extent.end_ns;
    }
    return extent;
}

/* The number is largest at the start of some kernel. */
size_t lab_spins_at_once(const struct lab_spin_record *records, size_t kernels, size_t blocks)
{
    size_t most = 0;
    for (size_t k = 0; k < kernels; k++) {
        uint64_t moment = extent_of(records, k, blocks).start_ns;
        size_t running = 0;
        for (size_t other = 0; other < kernels; other++) {
            struct lab_spin_record extent = extent_of(records, other, blocks);
            running += extent.start_ns <= moment && extent.end_ns > moment;
        }
        most = running > most ? running : most;
    }
    return most;
}

static void draw(const struct lab_report *report, const struct lab_workload *workload,
                 const struct lab_spin_record *records, const char *const *lanes)
{
    struct lab_run *run = report->run;
    size_t kernels = workload->step_count, blocks = (size_t)workload->check.parameters[0];
    struct lab_axes of_point = {0};
    uint64_t origin_ns = records[0].start_ns;
    lab_report_axes(run, report->point, &of_point);
    for (size_t i = 0; i < kernels * blocks; i++)
        origin_ns = records[i].start_ns < origin_ns ? records[i].start_ns : origin_ns;
    for (size_t k = 0; k < kernels; k++) {
        char lane[32], label[32];
        size_t stream = workload->steps[k].stream;
        struct lab_spin_record extent = extent_of(records, k, blocks);
        snprintf(lane, sizeof lane, "stream %zu", stream + 1);
        snprintf(label, sizeof label, "kernel %zu", k + 1);
        run->sink.span(run->sink.context,
                       &(struct lab_span){.lane = lanes != NULL && lanes[stream] != NULL ? lanes[stream] : lane,
                                          .kind = "compute",
                                          .label = label,
                                          .start_ns = (int64_t)(extent.start_ns - origin_ns),
                                          .end_ns = (int64_t)(extent.end_ns - origin_ns),
                                          .axes = &of_point});
    }
}

bool lab_spins_report(const struct lab_report *report, const struct lab_workload *workload,
                      const struct lab_spin_record *records, const char *const *lanes)
{
    draw(report, workload, records, lanes);
    size_t blocks = (size_t)workload->check.parameters[0];
    return lab_report_value(report, "at_once", (double)lab_spins_at_once(records, workload->step_count, blocks));
}
