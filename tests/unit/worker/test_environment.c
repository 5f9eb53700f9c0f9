/* kernels/worker/environment.c: the record of machine and build. */
#include "support/test.h"
#include "worker/environment.h"

#include "host/host.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(variables_that_change_results_are_recorded)
{
    static const char *const recorded[] = {"CUDA_MODULE_LOADING",
                                           "NCCL_ALGO",
                                           "CUBLAS_WORKSPACE_CONFIG",
                                           "NVIDIA_TF32_OVERRIDE",
                                           "OPENBLAS_NUM_THREADS",
                                           "OMP_NUM_THREADS",
                                           "OMPI_MCA_btl",
                                           "UCX_TLS"};
    static const char *const others[] = {"CUDA", "MY_CUDA_TOKEN", "NVIDIA_TF32_OVERRIDE_SECRET", "SECRET",
                                         "OMPI_TOKEN"};
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        setenv(recorded[i], "a=b", 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        setenv(others[i], "c", 1);
    json_t *variables = lab_environment_variables();
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        const char *value = json_string_value(json_object_get(variables, recorded[i]));
        if (value == NULL || strcmp(value, "a=b") != 0)
            fail_msg("%s is %s", recorded[i], value != NULL ? value : "missing");
        unsetenv(recorded[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_null(json_object_get(variables, others[i]));
        unsetenv(others[i]);
    }
    json_decref(variables);
}

TEST(bytes_that_are_not_utf_8_become_question_marks)
{
    setenv("NCCL_DEBUG_FILE", "/tmp/caf\xe9", 1);
    setenv("OMP_\xff", "1", 1);
    json_t *variables = lab_environment_variables();
    assert_string_equal(json_string_value(json_object_get(variables, "NCCL_DEBUG_FILE")), "/tmp/caf?");
    assert_string_equal(json_string_value(json_object_get(variables, "OMP_?")), "1");
    json_decref(variables);
    unsetenv("NCCL_DEBUG_FILE");
    unsetenv("OMP_\xff");
}

TEST(a_build_says_why_another_runtime_was_not_taken)
{
    json_t *preferred = lab_environment_build("cuda", NULL), *other = lab_environment_build("host", "no CUDA device");
    assert_null(json_object_get(preferred, "fallback"));
    assert_string_equal(json_string_value(json_object_get(other, "fallback")), "no CUDA device");
    json_decref(preferred);
    json_decref(other);
}

/* Checks what the environment of a run on a device with this id says of sharing. */
static void check_sharing(const char *id, const char *expected)
{
    static struct lab_device_facts facts;
    snprintf(facts.id, sizeof facts.id, "%s", id);
    const struct lab_run run = {.device_count = 1, .facts = {&facts}, .numa_node = LAB_UNKNOWN};
    json_t *variables = json_object(), *environment = lab_environment(&run, "host", NULL, variables);
    char *text = json_dumps(json_object_get(environment, "sharing"), JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(text, expected);
    free(text);
    json_decref(environment);
    json_decref(variables);
}

TEST(mig_and_mps_are_named)
{
    char folder[] = "/tmp/gpulab-test-XXXXXX", pipe[64];
    assert_non_null(mkdtemp(folder));
    snprintf(pipe, sizeof pipe, "%s/control", folder);
    setenv("CUDA_MPS_PIPE_DIRECTORY", folder, 1);
    check_sharing("GPU-1", "{\"mig\":false,\"mps\":false}");
    check_sharing("MIG-1", "{\"mig\":true,\"mps\":false}");
    fclose(fopen(pipe, "w"));
    check_sharing("GPU-1", "{\"mig\":false,\"mps\":true}");
    unlink(pipe);
    rmdir(folder);
    unsetenv("CUDA_MPS_PIPE_DIRECTORY");
}

TEST(the_sandbox_of_a_program_is_recorded)
{
    json_t *sandbox = json_pack("{s:s, s:n}", "protection", "bubblewrap", "user"), *variables = json_object();
    const struct lab_run other = {.numa_node = LAB_UNKNOWN}, program = {.numa_node = LAB_UNKNOWN, .sandbox = sandbox};
    json_t *of_other = lab_environment(&other, "host", NULL, variables);
    json_t *of_program = lab_environment(&program, "host", NULL, variables);
    assert_null(json_object_get(of_other, "sandbox"));
    assert_true(json_equal(json_object_get(of_program, "sandbox"), sandbox));
    json_decref(of_program);
    json_decref(of_other);
    json_decref(variables);
    json_decref(sandbox);
}

/* As the collectives do, which switch multicast off for NCCL. */
TEST(a_variable_that_the_worker_sets_later_is_not_recorded)
{
    struct lab_error error;
    const struct lab_runtime_options options = {.host_devices = 2};
    assert_true(lab_host_runtime.start(&options, &error));
    unsetenv("NCCL_NVLS_ENABLE");
    json_t *variables = lab_environment_variables();
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    struct lab_run run = {.device_count = 2, .numa_node = LAB_UNKNOWN};
    for (size_t i = 0; i < run.device_count; i++)
        run.facts[i] = lab_host_runtime.facts(i);
    json_t *environment = lab_environment(&run, lab_host_runtime.name, "no CUDA device", variables);
    assert_true(json_equal(json_object_get(environment, "variables"), variables));
    assert_null(json_object_get(json_object_get(environment, "variables"), "NCCL_NVLS_ENABLE"));
    assert_non_null(json_object_get(json_object_get(environment, "build"), "cuda_flags"));
    for (size_t i = 0; i < run.device_count; i++) {
        const json_t *device = json_array_get(json_object_get(environment, "devices"), i);
        json_t *facts = lab_facts_to_json(run.facts[i]);
        assert_true(json_equal(device, facts)); /* the NUMA node is one of them */
        assert_non_null(json_object_get(json_object_get(device, "properties"), "numa_node"));
        json_decref(facts);
    }
    json_decref(environment);
    json_decref(variables);
    unsetenv("NCCL_NVLS_ENABLE");
    lab_host_runtime.stop();
}

TEST(a_library_has_a_version_when_it_is_open)
{
    json_t *before = lab_environment_libraries(lab_host_runtime.name);
    assert_true(json_is_null(json_object_get(before, "openblas")));
    json_decref(before);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        skip(); /* OpenBLAS is not installed */
    json_t *after = lab_environment_libraries(lab_host_runtime.name);
    const char *version = json_string_value(json_object_get(after, "openblas"));
    assert_non_null(version);
    assert_true(version[0] >= '0' && version[0] <= '9' && strchr(version, '.') != NULL && strchr(version, ' ') == NULL);
    json_decref(after);
    dlclose(library);
}

TEST(each_runtime_has_its_own_libraries)
{
    json_t *cuda = lab_environment_libraries("cuda"), *none = lab_environment_libraries("none");
    assert_non_null(json_object_get(cuda, "cublas"));
    assert_null(json_object_get(cuda, "openblas"));
    assert_int_equal(json_object_size(none), 0);
    json_decref(cuda);
    json_decref(none);
}
