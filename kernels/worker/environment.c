/* Collects the record of machine and build that is stored with each run. */
#include "environment.h"

#include "core/build.h"
#include "core/json_members.h"
#include "core/libraries.h"
#include "core/text.h"
#include "facts/mps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

json_t *lab_environment_build(const char *runtime, const char *fallback)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s*}", "version", lab_build.version, "commit",
                     lab_build.commit, "type", lab_build.type, "compiler", lab_build.compiler, "flags", lab_build.flags,
                     "cuda", lab_build.cuda, "cuda_flags", lab_build.cuda_flags, "architectures",
                     lab_build.architectures, "runtime", runtime, "fallback", fallback);
}

/* Reads the value of `key` from a file with lines "key: value"; "" when the file or the key is missing. */
static void read_field(const char *path, const char *key, char *value, size_t size)
{
    char line[512];
    value[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (colon == NULL || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(value, size, "%s", colon);
        lab_utf8_replace_invalid(value);
        break;
    }
    fclose(file);
}

uint64_t lab_environment_available_memory(void)
{
    char value[64];
    read_field("/proc/meminfo", "MemAvailable", value, sizeof value);
    return strtoull(value, NULL, 10) * 1024;
}

json_t *lab_environment_machine(void)
{
    struct utsname system;
    char cpu[128];
    char kernel[sizeof system.sysname + sizeof system.release + 1];
    uname(&system);
    lab_utf8_replace_invalid(system.nodename);
    read_field("/proc/cpuinfo", "model name", cpu, sizeof cpu);
    snprintf(kernel, sizeof kernel, "%s %s", system.sysname, system.release);
    json_int_t memory = (json_int_t)sysconf(_SC_PHYS_PAGES) * (json_int_t)sysconf(_SC_PAGESIZE);
    return json_pack("{s:s, s:s, s:s, s:I, s:I}", "name", system.nodename, "kernel", kernel, "cpu", cpu, "processors",
                     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "memory_bytes", memory);
}

/* Adds the variable of an entry NAME=VALUE. */
static void add_variable(json_t *object, const char *entry)
{
    char *name = strdup(entry), *value = name != NULL ? strchr(name, '=') : NULL;
    if (value != NULL) {
        *value++ = '\0';
        lab_utf8_replace_invalid(name);
        lab_utf8_replace_invalid(value);
        json_object_set_new(object, name, json_string(value));
    }
    free(name);
}

json_t *lab_environment_variables(void)
{
    static const char *const beginnings[] = {"CUDA_",     "NCCL_", "CUBLAS_", "OPENBLAS_",
                                             "OMPI_MCA_", "OMP_",  "UCX_",    "NVIDIA_TF32_OVERRIDE="};
    json_t *object = json_object();
    for (char **entry = environ; *entry != NULL; entry++)
        for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
            if (strncmp(*entry, beginnings[i], strlen(beginnings[i])) == 0)
                add_variable(object, *entry);
    return object;
}

static bool uses(const struct lab_run *run, const struct lab_device_facts *device)
{
    for (size_t i = 0; i < run->device_count; i++)
        if (run->facts[i] == device)
            return true;
    return false;
}

/* The devices of the run, then those that only its base uses. */
static json_t *devices_of(const struct lab_run *run)
{
    const struct lab_run *base = run->base;
    json_t *devices = json_array();
    for (size_t i = 0; i < run->device_count; i++)
        json_array_append_new(devices, lab_facts_to_json(run->facts[i]));
    for (size_t i = 0; base != NULL && i < base->device_count; i++)
        if (!uses(run, base->facts[i]))
            json_array_append_new(devices, lab_facts_to_json(base->facts[i]));
    return devices;
}

/* Whether one of the run's devices is a part of a GPU. */
static bool has_mig(const json_t *devices)
{
    size_t index;
    json_t *device;
    json_array_foreach(devices, index, device)
    {
        const char *id = json_string_value(json_object_get(device, "id"));
        if (id != NULL && strncmp(id, "MIG-", 4) == 0)
            return true;
    }
    return false;
}

json_t *lab_environment(const struct lab_run *run, const char *runtime, const char *fallback, json_t *variables)
{
    json_t *devices = devices_of(run),
           *sharing = json_pack("{s:b, s:b}", "mig", has_mig(devices), "mps", lab_mps_is_running(""));
    return json_pack("{s:o, s:o, s:o, s:o, s:O, s:o, s:O*}", "machine", lab_environment_machine(), "build",
                     lab_environment_build(runtime, fallback), "devices", devices, "numa_node",
                     lab_json_integer_or_null(run->numa_node), "variables", variables, "sharing", sharing, "sandbox",
                     run->sandbox);
}

static void add_library(void *context, const char *name, const char *version)
{
    json_object_set_new(context, name, lab_json_text_or_null(version));
}

json_t *lab_environment_libraries(const char *runtime)
{
    json_t *object = json_object();
    lab_libraries_visit(runtime, add_library, object);
    return object;
}
