/* Calls every function of a runtime's table on each of its devices, without the server and the worker.
 *
 *   gpulab-runtime-check [--rates] [--break] [--counters] [cuda|host]
 *
 * Prints the facts, then the failed checks, and last "N passed, M failed". Exits with 0 if nothing failed. --rates also
 * prints the bandwidths of copies and operations. --break makes an illegal access on each CUDA device at the end, which
 * must be reported as a lost device. --counters checks and prints the hardware counters only.
 */
#include "runtime_check.h"

#include "benchmark/offload.h"
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

/* --- counting checks ---------------------------------------------------------------------------------------------- */

bool expect(struct fixture *fixture, bool holds, const char *format, ...)
{
    if (holds) {
        fixture->passed++;
        return true;
    }
    fixture->failed++;
    va_list arguments;
    va_start(arguments, format);
    printf("FAILED: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
    return false;
}

bool expect_call(struct fixture *fixture, bool succeeded, const char *call)
{
    return expect(fixture, succeeded, "%s: %s: %s", call,
                  fixture->device->error.code != LAB_ERROR_NONE ? lab_error_name(fixture->device->error.code)
                                                                : "no code",
                  fixture->device->error.detail);
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

bool write_memory(struct fixture *fixture, enum lab_memory kind, void *to, const void *from, size_t bytes)
{
    if (kind == LAB_MEMORY_DEVICE)
        return expect_call(fixture,
                           fixture->runtime->copy(fixture->device, fixture->stream, to, from, bytes, LAB_H2D) &&
                               fixture->runtime->stream_synchronize(fixture->device, fixture->stream),
                           "writing device memory");
    memcpy(to, from, bytes);
    return true;
}

bool read_memory(struct fixture *fixture, enum lab_memory kind, void *to, void *from, size_t bytes)
{
    if (kind == LAB_MEMORY_DEVICE)
        return expect_call(fixture,
                           fixture->runtime->copy(fixture->device, fixture->stream, to, from, bytes, LAB_D2H) &&
                               fixture->runtime->stream_synchronize(fixture->device, fixture->stream),
                           "reading device memory");
    memcpy(to, from, bytes);
    return true;
}

bool perform_plan(struct fixture *fixture, struct lab_plan *plan)
{
    if (!expect_call(fixture, plan != NULL, "prepare"))
        return false;
    bool done =
        expect_call(fixture, fixture->runtime->enqueue(fixture->device, plan, fixture->stream), "enqueue") &&
        expect_call(fixture, fixture->runtime->stream_synchronize(fixture->device, fixture->stream), "synchronize");
    fixture->runtime->plan_free(fixture->device, plan);
    return done;
}

bool perform(struct fixture *fixture, const struct lab_operation *operation)
{
    return perform_plan(fixture, fixture->runtime->prepare(fixture->device, operation));
}

struct lab_plan *prepare_kernel(struct fixture *fixture, const char *name, uint64_t elements, uint32_t block,
                                const struct lab_argument *arguments, size_t count)
{
    const struct lab_runtime_module *modules = fixture->runtime->module;
    struct lab_kernel *kernel = modules->kernel(fixture->device, fixture->kernels, name);
    const struct lab_launch launch = {.grid = {(uint32_t)((elements + block - 1) / block)}, .block = {block}};
    return kernel != NULL ? modules->prepare(fixture->device, kernel, &launch, arguments, count) : NULL;
}

struct lab_plan *prepare_sine_cosine(struct fixture *fixture, void *memory, uint64_t elements, uint64_t first,
                                     uint32_t weight, uint32_t block)
{
    const struct lab_argument arguments[] = {lab_argument_pointer(memory), lab_argument_u64(elements),
                                             lab_argument_u32((uint32_t)first), lab_argument_u32(weight)};
    return prepare_kernel(fixture, "add_sine_cosine", elements, block, arguments, 4);
}

/* --- facts -------------------------------------------------------------------------------------------------------- */

static void print_json(const char *what, json_t *json)
{
    char *text = json_dumps(json, JSON_INDENT(2));
    printf("%s: %s\n", what, text != NULL ? text : "none");
    free(text);
    json_decref(json);
}

static void check_facts(struct fixture *fixture, const struct lab_device_facts *facts)
{
    struct lab_device_facts completed = *facts;
    struct lab_nvml *nvml = lab_nvml_open(NULL);
    lab_nvml_complete(nvml, &completed);
    lab_nvml_close(nvml);
    print_json("facts", lab_facts_to_json(&completed));
    expect(fixture, strcmp(facts->backend, fixture->runtime->name) == 0,
           "the backend must be the runtime's name, not %s", facts->backend);
    expect(fixture, facts->id[0] != '\0' && facts->name[0] != '\0', "the device must have an id and a name");
    expect(fixture, facts->multiprocessors > 0 && facts->total_memory_bytes > 0 && facts->l2_bytes > 0,
           "multiprocessors, memory and cache must be known");

    json_t *json = lab_facts_to_json(facts);
    struct lab_device_facts back;
    expect(fixture,
           lab_facts_from_json(json, &back) && strcmp(back.id, facts->id) == 0 &&
               back.total_memory_bytes == facts->total_memory_bytes,
           "facts must be the same after conversion to JSON and back");
    json_decref(json);

    if (strcmp(facts->backend, "cuda") != 0)
        return;
    expect(fixture, strlen(facts->uuid) == 40 && strcmp(facts->uuid, facts->id) == 0, "the UUID must be complete: %s",
           facts->uuid);
    expect(fixture, facts->memory_peak_bytes_per_s > 1e9, "the peak memory bandwidth must be known");
    expect(fixture, facts->fp32_peak_flops > 1e9, "the peak arithmetic rate must be known");
    expect(fixture, facts->pci_address[0] != '\0', "the PCIe address must be known");
}

static void check_nvml(struct fixture *fixture, const struct lab_device_facts *facts)
{
    const char *reason = NULL;
    struct lab_nvml *nvml = lab_nvml_open(&reason);
    if (nvml == NULL) {
        printf("NVML: %s\n", reason);
        expect(fixture, reason != NULL, "opening NVML must set a reason if it fails");
        return;
    }
    print_json("NVML lists", lab_nvml_list(nvml));
    json_t *telemetry = lab_nvml_telemetry(nvml, facts->uuid);
    expect(fixture, telemetry != NULL, "NVML must have telemetry of %s", facts->uuid);
    print_json("telemetry", telemetry);
    struct lab_conditions now;
    expect(fixture, lab_nvml_conditions(nvml, facts->uuid, &now), "NVML must report conditions");
    printf("conditions: SM clock %g MHz, %g degrees, %g W, %zu throttle reasons\n", now.sm_clock_mhz, now.temperature_c,
           now.power_w, now.throttle_count);
    for (size_t i = 0; i < now.throttle_count; i++)
        printf("throttled: %s\n", now.throttle[i]);
    printf("compute processes: %d\n", lab_nvml_process_count(nvml, facts->uuid));
    expect(fixture, !lab_nvml_conditions(nvml, "GPU-00000000-0000-0000-0000-000000000000", &now),
           "NVML must not report conditions of a device that does not exist");
    lab_nvml_close(nvml);
}

/* Writes to memory that was released, an illegal access after which the device must be lost. */
static void check_loss(struct fixture *fixture)
{
    enum { BYTES = 64 << 20 };
    void *memory;
    if (!expect_call(fixture, fixture->runtime->allocate(fixture->device, LAB_MEMORY_DEVICE, BYTES, &memory),
                     "allocate"))
        return;
    struct lab_operation operation = {.kind = LAB_OPERATION_FILL, .destination = lab_region_of(memory, BYTES)};
    struct lab_plan *plan = fixture->runtime->prepare(fixture->device, &operation);
    fixture->runtime->free(fixture->device, LAB_MEMORY_DEVICE, memory);
    expect(fixture, !fixture->device->lost, "the device must not be lost before the illegal access");
    bool survived = fixture->runtime->enqueue(fixture->device, plan, fixture->stream) &&
                    fixture->runtime->stream_synchronize(fixture->device, fixture->stream);
    expect(fixture, !survived && fixture->device->lost, "an illegal access must lose the device");
    printf("lost: %s: %s\n", lab_error_name(fixture->device->error.code), fixture->device->error.detail);
    fixture->runtime->plan_free(fixture->device, plan);
}

/* --- all devices -------------------------------------------------------------------------------------------------- */

struct options {
    bool rates, loss, counters;
};

static void check_device(struct fixture *fixture, size_t ordinal, const struct options *options)
{
    static void (*const checks[])(struct fixture *) = {
        check_memory,
        check_copies,
        check_rectangles,
        check_events,
        check_latch,
        check_clock,
        check_pattern,
        check_core_copies,
        check_flush,
        check_contents,
        check_pipeline_kernels,
        check_graph,
        check_waiting,
        check_default_stream,
        check_trace,
        check_counters,
        check_gemm_inputs,
        check_gemm,
        check_gemm_ceilings,
        check_out_of_memory,
    };
    const struct lab_device_facts *facts = fixture->runtime->facts(ordinal);
    check_facts(fixture, facts);

    struct lab_error error = {0};
    double start = now_s();
    fixture->device = fixture->runtime->open(ordinal, &error);
    printf("opened in %.3f s\n", now_s() - start);
    if (!expect(fixture, fixture->device != NULL, "open: %s: %s", lab_error_name(error.code), error.detail))
        return;
    fixture->stream = fixture->runtime->stream_create(fixture->device);
    if (expect_call(fixture, fixture->stream != NULL, "stream_create")) {
        const struct lab_runtime_module *modules = fixture->runtime->module;
        fixture->kernels = modules != NULL ? modules->load(fixture->device, &lab_offload_image) : NULL;
        expect_call(fixture, modules == NULL || fixture->kernels != NULL, "loading the kernels of offloaded jobs");
        for (size_t i = 0; i < sizeof checks / sizeof *checks && !fixture->device->lost && !options->counters; i++)
            checks[i](fixture);
        if (options->counters)
            show_counters(fixture);
        if (fixture->kernels != NULL)
            modules->unload(fixture->device, fixture->kernels);
        expect(fixture, !fixture->device->lost, "the device must not be lost");
        if (options->rates)
            show_rates(fixture);
    }
    if (strcmp(facts->backend, "cuda") == 0)
        check_nvml(fixture, facts);
    if (options->loss && strcmp(facts->backend, "cuda") == 0)
        check_loss(fixture);
    fixture->runtime->stream_free(fixture->device, fixture->stream);
    fixture->runtime->close(fixture->device);
}

int main(int argc, char **argv)
{
    struct fixture fixture = {.runtime = runtimes[0]};
    struct options options = {0};
    for (int i = 1; i < argc; i++) {
        options.rates = options.rates || strcmp(argv[i], "--rates") == 0;
        options.loss = options.loss || strcmp(argv[i], "--break") == 0;
        options.counters = options.counters || strcmp(argv[i], "--counters") == 0;
        for (size_t r = 0; r < sizeof runtimes / sizeof *runtimes; r++)
            if (strcmp(argv[i], runtimes[r]->name) == 0)
                fixture.runtime = runtimes[r];
    }
    struct lab_error error = {0};
    struct lab_runtime_options runtime_options = {0};
    bool started = fixture.runtime->start(&runtime_options, &error);
    if (expect(&fixture, started, "start: %s: %s", lab_error_name(error.code), error.detail)) {
        for (size_t i = 0; i < fixture.runtime->device_count(); i++)
            check_device(&fixture, i, &options);
        fixture.runtime->stop();
    }
    printf("%u passed, %u failed\n", fixture.passed, fixture.failed);
    return fixture.failed != 0;
}
