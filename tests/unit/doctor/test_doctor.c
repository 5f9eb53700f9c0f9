/* kernels/doctor on a folder in place of /proc, /sys and /dev, with a fake NVML. */
#include "doctor/doctor.h"
#include "support/fake_nvml.h"
#include "support/test.h"

#include "core/json_members.h"
#include "descriptor/experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

/* Writes a file below the root, and the folders above it. */
static void write_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/gpulab-doctor-XXXXXX");
    if (mkdtemp(root) == NULL)
        return -1;
    write_file("/tmp/file", "");
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    return lab_sandbox_folder_remove(root) ? 0 : -1;
}

AROUND_EACH_TEST(.setup = make_root, .teardown = remove_root)

/* A machine with a GPU whose driver is loaded and whose files can be opened. */
static void add_gpu(void)
{
    write_file("/sys/bus/pci/devices/0000:3b:00.0/vendor", "0x10de\n");
    write_file("/sys/bus/pci/devices/0000:3b:00.0/class", "0x030200\n");
    write_file("/sys/bus/pci/devices/0000:3b:00.1/vendor", "0x10de\n");
    write_file("/sys/bus/pci/devices/0000:3b:00.1/class", "0x040300\n");
    write_file("/proc/driver/nvidia/version",
               "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (root@x)  Tue\n"
               "GCC version:  gcc version 13.3.0\n");
    write_file("/dev/nvidiactl", "");
    write_file("/dev/nvidia-uvm", "");
    write_file("/dev/nvidia0", "");
}

static struct lab_doctor_options options_of(void)
{
    return (struct lab_doctor_options){.root = root,
                                       .cuda = "",
                                       .cuda_failed = "no CUDA device: the driver reports none",
                                       .nvml_failed = "libnvidia-ml.so.1 was not found",
                                       .lock_dir = root};
}

/* Checks the finding of that name: "GROUP: TEXT", with "!" before it if it blocks; "" for none. */
static void check_finding(const struct lab_doctor_options *options, const char *name, const char *expected)
{
    json_t *document = lab_doctor_examine(options), *finding;
    char found[1024] = "";
    size_t index;
    bool blocks = false;
    json_array_foreach(json_object_get(document, "findings"), index, finding)
    {
        bool blocking = json_is_true(json_object_get(finding, "blocks"));
        blocks = blocks || blocking;
        if (strcmp(lab_text_of(finding, "name"), name) == 0)
            snprintf(found, sizeof found, "%s%s: %s", blocking ? "!" : "", lab_text_of(finding, "group"),
                     lab_text_of(finding, "text"));
    }
    assert_string_equal(found, expected);
    assert_int_equal(json_is_true(json_object_get(document, "works")), !blocks);
    json_decref(document);
}

static void check(const char *name, const char *expected)
{
    const struct lab_doctor_options options = options_of();
    check_finding(&options, name, expected);
}

/* --- the GPU and its driver --------------------------------------------------------------------------------------- */

TEST(a_machine_without_a_gpu_is_sound)
{
    check("gpu", "missing: this machine has no GPU of NVIDIA");
    check("driver", "");
    check("cuda", "missing: this gpulab was built without CUDA");
    check("cublas", "");
    check("nvml", "");
}

TEST(gpus_are_counted_without_their_sound_devices)
{
    add_gpu();
    check("gpu", "works: 1 found");
}

TEST(a_gpu_needs_a_driver)
{
    add_gpu();
    check("driver", "works: release 580.95.05");
    write_file("/proc/driver/nvidia/version", "");
    check("driver", "!missing: its module is not loaded");
}

TEST(module_and_library_must_be_of_one_release)
{
    enum age age = NEW;
    struct lab_doctor_options options = options_of();
    add_gpu();
    options.nvml = lab_nvml_open_with(resolve, &age, NULL);
    check_finding(&options, "driver",
                  "!missing: the kernel has the module of release 580.95.05, and the libraries are of release "
                  "580.159.04");
    lab_nvml_close(options.nvml);
}

TEST(device_files_must_be_there_and_open)
{
    char path[128];
    add_gpu();
    check("device-files", "works: nvidiactl, nvidia-uvm and 1 GPU can be opened");
    snprintf(path, sizeof path, "%s/dev/nvidia-uvm", root);
    unlink(path);
    check("device-files", "!missing: /dev/nvidia-uvm does not exist, so CUDA finds no device");
    write_file("/dev/nvidia-uvm", "");
    snprintf(path, sizeof path, "%s/dev/nvidia0", root);
    chmod(path, 0);
    if (access(path, R_OK) != 0) /* root may open every file */
        check("device-files", "!missing: this user may not open /dev/nvidia0 for reading and writing");
}

TEST(a_gpu_that_cuda_does_not_use_blocks)
{
    struct lab_doctor_options options = options_of();
    add_gpu();
    check("cuda", "!missing: this gpulab was built without CUDA, so it cannot use the GPU");
    options.cuda = "13.0.88";
    check_finding(&options, "cuda", "!missing: no CUDA device: the driver reports none");
    options.cuda_failed = NULL;
    options.cuda_devices = 4;
    options.cuda_runtime = options.cuda_driver = "13.0";
    check_finding(&options, "cuda", "works: version 13.0, 4 devices; the driver supports 13.0");
}

TEST(counters_may_be_for_administrators)
{
    struct lab_doctor_options options = options_of();
    add_gpu();
    options.cuda = "13.0";
    write_file("/proc/driver/nvidia/params", "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n");
    check_finding(&options, "counters", "missing: the driver lets only administrators read them");
    write_file("/proc/self/status", "Name:\tx\nCapEff:\t0000000000200000\n");
    check_finding(&options, "counters", "works: permitted to administrators, of whom this process has the rights");
    write_file("/proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
    check_finding(&options, "counters", "works: permitted to all users");
}

/* --- the system --------------------------------------------------------------------------------------------------- */

TEST(each_way_to_forbid_namespaces_is_named)
{
    write_file("/proc/self/ns/user", "");
    check("user-namespaces", "works: permitted by the settings of the kernel");
    write_file("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
    check("user-namespaces", "missing: AppArmor restricts them (kernel.apparmor_restrict_unprivileged_userns is 1)");
    write_file("/etc/apparmor.d/bwrap-userns-restrict", "");
    check("user-namespaces", "works: permitted by the settings of the kernel");
    write_file("/proc/sys/kernel/unprivileged_userns_clone", "0\n");
    check("user-namespaces", "missing: kernel.unprivileged_userns_clone is 0");
    write_file("/proc/sys/user/max_user_namespaces", "0\n");
    check("user-namespaces", "missing: user.max_user_namespaces is 0");
}

TEST(locked_memory_has_a_limit_or_a_capability)
{
    write_file("/proc/self/limits", "Max locked memory         8388608              8388608              bytes\n");
    check("locked-memory", "missing: this process may lock 8 MiB");
    write_file("/proc/self/status", "CapEff:\t0000000000004000\n");
    check("locked-memory", "works: unlimited");
    write_file("/proc/self/status", "CapEff:\t0\n");
    write_file("/proc/self/limits", "Max locked memory         65536              unlimited            bytes\n");
    check("locked-memory", "works: unlimited");
}

TEST(folders_must_be_writable)
{
    struct lab_doctor_options options = options_of();
    char in_file[128];
    snprintf(in_file, sizeof in_file, "%s/tmp/file/lab.db", root); /* also root cannot write into a file */
    check_finding(&options, "locks", "works: their folder can be written");
    options.lock_dir = in_file;
    check_finding(&options, "locks", "!missing: this user may not write to their folder");
    options.lock_dir = root;
    options.database = in_file;
    check_finding(&options, "database-disk", "!missing: this user may not write to its folder");
}

TEST(numa_nodes_are_counted)
{
    write_file("/sys/devices/system/node/node0/cpulist", "0\n");
    check("numa", "works: 1 node");
    write_file("/sys/devices/system/node/node1/cpulist", "1\n");
    check("numa", "works: 2 nodes");
}

/* --- what disturbs ------------------------------------------------------------------------------------------------ */

TEST(a_governor_that_saves_power_disturbs)
{
    write_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    check("governor", "");
    write_file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    check("governor", "disturbs: powersave on 1 of 2 processors: their clocks follow the load with a delay");
}

TEST(load_counts_by_the_number_of_processors)
{
    write_file("/sys/devices/system/cpu/cpu0/online", "1\n");
    write_file("/sys/devices/system/cpu/cpu1/online", "1\n");
    write_file("/sys/devices/system/cpu/cpufreq/x", "");
    write_file("/proc/loadavg", "0.40 5 5 1/2 3\n");
    check("load", "");
    write_file("/proc/loadavg", "0.60 5 5 1/2 3\n");
    check("load", "disturbs: 0.6 threads ran or waited on 2 processors in the last minute");
}

TEST(a_quota_of_processor_time_disturbs)
{
    write_file("/sys/fs/cgroup/cpu.max", "max 100000\n");
    check("cpu-quota", "");
    write_file("/sys/fs/cgroup/cpu.max", "250000 100000\n");
    check("cpu-quota", "disturbs: 2.5 processors: beyond that, the kernel stops this container or service for a while");
    write_file("/proc/self/cgroup", "0::/system.slice/gpulab.service\n");
    check("cpu-quota", "");
    write_file("/sys/fs/cgroup/system.slice/gpulab.service/cpu.max", "400000 100000\n");
    check("cpu-quota", "disturbs: 4.0 processors: beyond that, the kernel stops this container or service for a while");
}

TEST(small_pages_disturb)
{
    write_file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    check("huge-pages", "works: where a program asks for them");
    write_file("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    check("huge-pages", "disturbs: switched off: the memory of the CPU has small pages, and is slower for that");
}

TEST(errors_of_devices_in_the_log_disturb)
{
    write_file("/dev/kmsg", "6,1,2,-;NVRM: Xid (PCI:0000:3b:00): 13, pid=7, Graphics Exception\n6,2,3,-;usb: x\n");
    check("xid", "");
    write_file("/dev/kmsg",
               "6,1,2,-;NVRM: Xid (PCI:0000:3b:00): 48, pid=7\n"
               "4,2,3,-;NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n");
    check("xid", "disturbs: 2 since the machine started, the last one Xid 79: GPU has fallen off the bus");
}

TEST(settings_of_gpus_are_named_by_gpu)
{
    static const char *const expected[][2] = {
        {"persistence", "disturbs: GPU 1: off: the driver prepares the GPU anew for each program that finds it unused"},
        {"mig", "disturbs: GPU 0: on: an experiment measures a part of the GPU, and others may use the rest"},
        {"ecc", "disturbs: GPU 1: off: errors of the memory are not noticed"},
        {"power-limit", "disturbs: GPU 1: 700 W instead of 750 W"},
        {"compute-mode",
         "disturbs: GPU 1: exclusive-process: ranks of MPI and whole programs beside gpulab find it "
         "in use"},
        {"prohibited", ""},
        {"processes", "disturbs: GPU 0: 3 processes"},
        {"throttling", "disturbs: GPU 0: hardware-thermal"}, /* power-cap is normal under load */
        {"memory-errors",
         "disturbs: GPU 0: 2 errors that ECC could not correct since the driver was loaded; GPU 1: a "
         "part of the memory waits for its replacement at the next reset of the GPU"},
    };
    enum age age = NEW;
    struct lab_doctor_options options = options_of();
    options.nvml = lab_nvml_open_with(resolve, &age, NULL);
    assert_non_null(options.nvml);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        check_finding(&options, expected[i][0], expected[i][1]);
    check_finding(&options, "nvml", "works: found");
    check_finding(&options, "gpu", "works: 2 found, the first is GPU number 0");
    lab_nvml_close(options.nvml);
}

TEST(an_old_driver_without_these_settings_disturbs_nothing)
{
    struct lab_doctor_options options = options_of();
    enum age age = NEW;
    options.nvml = lab_nvml_open_with(resolve_bare, &age, NULL);
    check_finding(&options, "mig", "");
    check_finding(&options, "power-limit", "");
    lab_nvml_close(options.nvml);
}

/* --- the document ------------------------------------------------------------------------------------------------- */

TEST(packages_have_the_version_of_cuda)
{
    struct lab_doctor_options options = options_of();
    options.cuda = "12.8.61";
    add_gpu();
    json_t *document = lab_doctor_examine(&options), *finding;
    size_t index, packaged = 0;
    json_array_foreach(json_object_get(document, "findings"), index, finding)
    {
        const json_t *packages = json_object_get(finding, "packages");
        packaged += json_is_object(packages);
        assert_null(strchr(lab_text_of(packages, "debian"), '@'));
        assert_true(json_is_object(packages) || json_is_null(packages));
        if (json_is_object(packages))
            assert_string_equal(lab_text_of(finding, "group"), "missing");
        if (json_is_object(packages) && strcmp(lab_text_of(finding, "name"), "cufft") == 0)
            assert_string_equal(lab_text_of(packages, "debian"), "libcufft-12-8");
    }
    assert_true(packaged > 0);
    json_decref(document);
}

/* "matmul: steps cublas", "program; kernel: checks in C": one word that stands alone or before a colon is an
 * experiment. */
static size_t check_experiments(const char *enables)
{
    size_t count = 0;
    for (const char *part = enables; *part != '\0';) {
        size_t length = strcspn(part, ":;"), whole = strcspn(part, ";");
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)length, part);
        if (strchr(word, ' ') == NULL && strchr(word, ',') == NULL) {
            if (lab_experiment_find(word) == NULL)
                fail_msg("%s in \"%s\" is no experiment", word, enables);
            count++;
        }
        part += whole + strspn(part + whole, "; ");
    }
    return count;
}

TEST(what_a_finding_enables_are_experiments)
{
    struct lab_doctor_options options = options_of();
    size_t index, count = 0;
    options.cuda = "13.0";
    options.database = root;
    add_gpu();
    json_t *document = lab_doctor_examine(&options), *finding;
    json_array_foreach(json_object_get(document, "findings"), index, finding)
    {
        count += check_experiments(lab_text_of(finding, "enables"));
    }
    assert_true(count > 5);
    json_decref(document);
}

TEST(a_reason_of_cuda_that_is_known_has_a_remedy)
{
    struct lab_doctor_options options = options_of();
    options.cuda = "13.0";
    options.cuda_failed = "no CUDA device: cudaErrorSystemNotReady: system not yet initialized";
    add_gpu();
    json_t *document = lab_doctor_examine(&options), *finding;
    size_t index;
    json_array_foreach(json_object_get(document, "findings"), index, finding)
    {
        if (strcmp(lab_text_of(finding, "name"), "cuda") == 0)
            assert_non_null(strstr(lab_text_of(finding, "remedy"), "nvidia-fabricmanager"));
    }
    json_decref(document);
}
