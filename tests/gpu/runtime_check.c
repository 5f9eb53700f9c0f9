/* Drives every entry of a runtime's table directly, without anything of the lab above it, on each device it finds.
 *
 *   gpulab-runtime-check [--rates] [--break] [cuda|host]
 *
 * prints the facts, then what failed, and last "N passed, M failed"; exits with 0 when nothing failed. --rates also
 * prints how fast copies and operations are; --break ends each CUDA device with an illegal access, to see it reported
 * as lost.
 */
#include "runtime_check.h"

#include "facts/nvml.h"
#include "runtime/pattern.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if GPULAB_HAVE_CUDA
#include "cuda/cuda.h"
#endif
#include "host/host.h"

static const struct lab_runtime *const runtimes[] = {
#if GPULAB_HAVE_CUDA
    &lab_cuda_runtime,
#endif
    &lab_host_runtime,
};

/* --- the frame -------------------------------------------------------------------------------------------------- */

bool expect(struct bench *bench, bool holds, const char *format, ...)
{
    if (holds) {
        bench->passed++;
        return true;
    }
    bench->failed++;
    va_list arguments;
    va_start(arguments, format);
    printf("FAILED: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
    return false;
}

bool expect_call(struct bench *bench, bool succeeded, const char *call)
{
    return expect(bench, succeeded, "%s: %s: %s", call,
                  bench->device->error.code != NULL ? bench->device->error.code : "no code",
                  bench->device->error.detail);
}

double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

unsigned char pattern_byte(size_t index, uint64_t seed)
{
    return (unsigned char)(lab_pattern_word(index / 4, seed) >> 8 * (index % 4));
}

bool write_memory(struct bench *bench, enum lab_memory kind, void *to, const void *from, size_t bytes)
{
    if (kind == LAB_MEMORY_DEVICE)
        return expect_call(bench,
                           bench->runtime->copy(bench->device, bench->stream, to, from, bytes, LAB_H2D) &&
                               bench->runtime->stream_synchronize(bench->device, bench->stream),
                           "writing device memory");
    memcpy(to, from, bytes);
    return true;
}

bool read_memory(struct bench *bench, enum lab_memory kind, void *to, void *from, size_t bytes)
{
    if (kind == LAB_MEMORY_DEVICE)
        return expect_call(bench,
                           bench->runtime->copy(bench->device, bench->stream, to, from, bytes, LAB_D2H) &&
                               bench->runtime->stream_synchronize(bench->device, bench->stream),
                           "reading device memory");
    memcpy(to, from, bytes);
    return true;
}

bool perform_plan(struct bench *bench, struct lab_plan *plan)
{
    if (!expect_call(bench, plan != NULL, "prepare"))
        return false;
    bool done = expect_call(bench, bench->runtime->enqueue(bench->device, plan, bench->stream), "enqueue") &&
                expect_call(bench, bench->runtime->stream_synchronize(bench->device, bench->stream), "synchronize");
    bench->runtime->plan_release(bench->device, plan);
    return done;
}

bool perform(struct bench *bench, const struct lab_operation *problem)
{
    return perform_plan(bench, bench->runtime->prepare(bench->device, problem));
}

/* --- facts ------------------------------------------------------------------------------------------------------ */

static void print_json(const char *what, json_t *json)
{
    char *text = json_dumps(json, JSON_INDENT(2));
    printf("%s: %s\n", what, text != NULL ? text : "none");
    free(text);
    json_decref(json);
}

static void check_facts(struct bench *bench, const struct lab_device_facts *facts)
{
    struct lab_device_facts completed = *facts;
    struct lab_nvml *nvml = lab_nvml_open(NULL);
    lab_nvml_complete(nvml, &completed);
    lab_nvml_close(nvml);
    print_json("facts", lab_facts_to_json(&completed));
    expect(bench, strcmp(facts->backend, bench->runtime->name) == 0, "backend is %s", facts->backend);
    expect(bench, facts->id[0] != '\0' && facts->name[0] != '\0', "a device has an id and a name");
    expect(bench, facts->multiprocessors > 0 && facts->total_memory_bytes > 0 && facts->l2_bytes > 0,
           "multiprocessors, memory and cache are known");

    json_t *json = lab_facts_to_json(facts);
    struct lab_device_facts back;
    expect(bench,
           lab_facts_from_json(json, &back) && strcmp(back.id, facts->id) == 0 &&
               back.total_memory_bytes == facts->total_memory_bytes,
           "facts survive JSON");
    json_decref(json);

    if (strcmp(facts->backend, "cuda") != 0)
        return;
    expect(bench, strlen(facts->uuid) == 40 && strcmp(facts->uuid, facts->id) == 0, "the uuid is whole: %s",
           facts->uuid);
    expect(bench, facts->memory_peak_bytes_per_s > 1e9, "the memory's peak is known");
    expect(bench, facts->fp32_peak_flops > 1e9, "the arithmetic peak is known");
    expect(bench, facts->pci_address[0] != '\0', "the PCIe address is known");
}

static void check_nvml(struct bench *bench, const struct lab_device_facts *facts)
{
    const char *reason = NULL;
    struct lab_nvml *nvml = lab_nvml_open(&reason);
    if (nvml == NULL) {
        printf("NVML: %s\n", reason);
        expect(bench, reason != NULL, "a missing NVML gives its reason");
        return;
    }
    print_json("NVML lists", lab_nvml_list(nvml));
    json_t *telemetry = lab_nvml_telemetry(nvml, facts->uuid);
    expect(bench, telemetry != NULL, "NVML knows %s", facts->uuid);
    print_json("telemetry", telemetry);
    struct lab_conditions now;
    expect(bench, lab_nvml_conditions(nvml, facts->uuid, &now), "NVML tells conditions");
    printf("conditions: SM clock %g Hz, %g degrees, %g W, %zu throttle reasons\n", now.sm_clock_hz, now.temperature_c,
           now.power_w, now.throttle_count);
    for (size_t i = 0; i < now.throttle_count; i++)
        printf("throttled: %s\n", now.throttle[i]);
    printf("compute processes: %d\n", lab_nvml_process_count(nvml, facts->uuid));
    expect(bench, !lab_nvml_conditions(nvml, "GPU-00000000-0000-0000-0000-000000000000", &now),
           "NVML does not know a device that is not there");
    lab_nvml_close(nvml);
}

/* Writes to memory that is no longer there. Nothing works on the device after this. */
static void check_loss(struct bench *bench)
{
    enum { BYTES = 64 << 20 };
    void *memory;
    if (!expect_call(bench, bench->runtime->allocate(bench->device, LAB_MEMORY_DEVICE, BYTES, &memory), "allocate"))
        return;
    struct lab_operation problem = {.kind = LAB_OPERATION_FILL, .destination = lab_region_of(memory, BYTES)};
    struct lab_plan *plan = bench->runtime->prepare(bench->device, &problem);
    bench->runtime->release(bench->device, LAB_MEMORY_DEVICE, memory);
    expect(bench, !bench->device->lost, "the device is there before");
    bool survived = bench->runtime->enqueue(bench->device, plan, bench->stream) &&
                    bench->runtime->stream_synchronize(bench->device, bench->stream);
    expect(bench, !survived && bench->device->lost, "an illegal access loses the device");
    printf("lost: %s: %s\n", bench->device->error.code, bench->device->error.detail);
    bench->runtime->plan_release(bench->device, plan);
}

/* --- one device after the other ------------------------------------------------------------------------------------
 */

static void check_device(struct bench *bench, size_t ordinal, bool rates, bool loss)
{
    static void (*const checks[])(struct bench *) = {
        check_memory,         check_copies,        check_rectangles,       check_events,
        check_latch,          check_clock,         check_pattern,          check_core_copies,
        check_flush,          check_contents,      check_pipeline_kernels, check_graph,
        check_default_stream, check_trace,         check_gemm_inputs,      check_gemm,
        check_gemm_ceilings,  check_out_of_memory,
    };
    const struct lab_device_facts *facts = bench->runtime->facts(ordinal);
    check_facts(bench, facts);

    struct lab_error error = {0};
    double start = now_s();
    bench->device = bench->runtime->open(ordinal, &error);
    printf("opened in %.3f s\n", now_s() - start);
    if (!expect(bench, bench->device != NULL, "open: %s: %s", error.code, error.detail))
        return;
    bench->stream = bench->runtime->stream_create(bench->device);
    if (expect_call(bench, bench->stream != NULL, "stream_create")) {
        for (size_t i = 0; i < sizeof checks / sizeof *checks && !bench->device->lost; i++)
            checks[i](bench);
        expect(bench, !bench->device->lost, "the device is still there");
        if (rates)
            show_rates(bench);
    }
    if (strcmp(facts->backend, "cuda") == 0)
        check_nvml(bench, facts);
    if (loss && strcmp(facts->backend, "cuda") == 0)
        check_loss(bench);
    bench->runtime->stream_release(bench->device, bench->stream);
    bench->runtime->close(bench->device);
}

int main(int argc, char **argv)
{
    struct bench bench = {.runtime = runtimes[0]};
    bool rates = false, loss = false;
    for (int i = 1; i < argc; i++) {
        rates = rates || strcmp(argv[i], "--rates") == 0;
        loss = loss || strcmp(argv[i], "--break") == 0;
        for (size_t r = 0; r < sizeof runtimes / sizeof *runtimes; r++)
            if (strcmp(argv[i], runtimes[r]->name) == 0)
                bench.runtime = runtimes[r];
    }
    struct lab_error error = {0};
    struct lab_runtime_options options = {0};
    bool started = bench.runtime->start(&options, &error);
    if (expect(&bench, started, "start: %s: %s", error.code, error.detail)) {
        for (size_t i = 0; i < bench.runtime->device_count(); i++)
            check_device(&bench, i, rates, loss);
        bench.runtime->stop();
    }
    printf("%u passed, %u failed\n", bench.passed, bench.failed);
    return bench.failed != 0;
}
