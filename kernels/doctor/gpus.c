/* The GPUs, the driver, and whether gpulab can use both. */
#include "gpus.h"

#include "core/hardware_counters.h"
#include "core/json_members.h"
#include "files.h"
#include "shareable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char pci_devices[] = "/sys/bus/pci/devices", driver_version[] = "/proc/driver/nvidia/version";

/* --- the GPUs ----------------------------------------------------------------------------------------------------- */

struct count {
    const struct doctor *doctor;
    size_t gpus;
};

/* Counts a device of NVIDIA (0x10de) that is a display controller (class 0x03). */
static void count_pci_device(void *context, const char *address)
{
    struct count *count = context;
    char name[128], vendor[16], class[16];
    snprintf(name, sizeof name, "%s/%.32s/vendor", pci_devices, address);
    bool nvidia = doctor_read_line(count->doctor, name, vendor, sizeof vendor) && strcmp(vendor, "0x10de") == 0;
    snprintf(name, sizeof name, "%s/%.32s/class", pci_devices, address);
    if (nvidia && doctor_read_line(count->doctor, name, class, sizeof class) && strncmp(class, "0x03", 4) == 0)
        count->gpus++;
}

size_t doctor_count_gpus(const struct doctor *doctor)
{
    struct count count = {.doctor = doctor};
    doctor_each_numbered(doctor, pci_devices, "", count_pci_device, &count);
    if (count.gpus > 0)
        return count.gpus;
    json_t *listed = lab_nvml_list(doctor->options->nvml);
    size_t by_nvml = json_array_size(listed);
    json_decref(listed);
    return doctor->options->cuda_devices > by_nvml ? doctor->options->cuda_devices : by_nvml;
}

/* What stands between the number of GPUs and the model of the first. */
static const char *before_model(const json_t *listed)
{
    const char *first = lab_text_of(json_array_get(listed, 0), "name");
    bool same = true;
    for (size_t i = 1; i < json_array_size(listed); i++)
        same = same && strcmp(lab_text_of(json_array_get(listed, i), "name"), first) == 0;
    return first[0] == '\0' ? "" : same ? ": " : ", the first is ";
}

static void examine_gpus(struct doctor *doctor, const struct doctor_check *check)
{
    size_t count = doctor_count_gpus(doctor);
    json_t *listed = lab_nvml_list(doctor->options->nvml);
    const char *model = lab_text_of(json_array_get(listed, 0), "name");
    if (count > 0)
        doctor_works(doctor, check, "%zu found%s%s", count, before_model(listed), model);
    else
        doctor_missing(doctor, check, "None is needed: without a GPU, gpulab measures the CPU",
                       "this machine has no GPU of NVIDIA");
    json_decref(listed);
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

/* Writes the release of the driver's module in the kernel, "580.95.05", of "NVRM version: NVIDIA UNIX x86_64 Kernel
 * Module  580.95.05  Tue …": the first word of digits and dots. */
static bool read_module(const struct doctor *doctor, char *release, size_t size)
{
    char line[256];
    if (!doctor_find_line(doctor, driver_version, "NVRM version:", line, sizeof line))
        return false;
    for (const char *word = line; *word != '\0'; word += strcspn(word, " "), word += strspn(word, " ")) {
        size_t length = strspn(word, "0123456789.");
        if (length < 5 || (word[length] != ' ' && word[length] != '\0'))
            continue;
        snprintf(release, size, "%.*s", (int)length, word);
        return true;
    }
    return false;
}

static void examine_driver(struct doctor *doctor, const struct doctor_check *check)
{
    char module[32], library[32];
    bool has_module = read_module(doctor, module, sizeof module);
    bool has_library = lab_nvml_driver(doctor->options->nvml, library, sizeof library);
    if (!doctor->has_gpu)
        return;
    if (has_module && has_library && strcmp(module, library) != 0)
        doctor_blocks(doctor, check, "Restart the machine, or unload the module and load it again",
                      "the kernel has the module of release %s, and the libraries are of release %s", module, library);
    else if (has_library || has_module)
        doctor_works(doctor, check, "release %s", has_library ? library : module);
    else
        doctor_blocks(doctor, check, NULL, "its module is not loaded");
}

/* --- the device files --------------------------------------------------------------------------------------------- */

/* The first file that is missing or closed to this user. */
struct device_files {
    const struct doctor *doctor;
    size_t gpus;
    char missing[64], closed[64];
};

static void check_device_file(void *context, const char *name)
{
    struct device_files *files = context;
    char file[64], path[PATH_MAX];
    snprintf(file, sizeof file, "/dev/%.48s", name);
    doctor_path(files->doctor, file, path);
    if (access(path, R_OK | W_OK) == 0)
        return;
    char *first = errno == ENOENT ? files->missing : files->closed;
    if (first[0] == '\0')
        memcpy(first, file, sizeof file);
}

static void check_gpu_file(void *context, const char *name)
{
    ((struct device_files *)context)->gpus++;
    check_device_file(context, name);
}

static void examine_device_files(struct doctor *doctor, const struct doctor_check *check)
{
    struct device_files files = {.doctor = doctor};
    if (!doctor->has_gpu || !doctor_exists(doctor, driver_version))
        return;
    check_device_file(&files, "nvidiactl");
    check_device_file(&files, "nvidia-uvm");
    doctor_each_numbered(doctor, "/dev", "nvidia", check_gpu_file, &files);
    if (files.missing[0] != '\0' || files.gpus == 0)
        doctor_blocks(doctor, check, "Create them as root: nvidia-modprobe -c 0 -u",
                      "%s does not exist, so CUDA finds no device",
                      files.missing[0] != '\0' ? files.missing : "/dev/nvidia0");
    else if (files.closed[0] != '\0')
        doctor_blocks(doctor, check,
                      "Add the user who runs gpulab to the group of the file, or let the service open it "
                      "(DeviceAllow= of systemd, --device of a container)",
                      "this user may not open %s for reading and writing", files.closed);
    else
        doctor_works(doctor, check, "nvidiactl, nvidia-uvm and %zu GPU%s can be opened", files.gpus,
                     files.gpus == 1 ? "" : "s");
}

/* --- what gpulab uses of them ------------------------------------------------------------------------------------- */

/* What to do about a reason why CUDA has no device, found by a part of its text; NULL: nothing that is known. */
static const char *cuda_remedy(const char *reason)
{
    static const struct {
        const char *part, *remedy;
    } known[] = {
        {"CUDA_VISIBLE_DEVICES", "Unset CUDA_VISIBLE_DEVICES, or set it to devices of this machine"},
        {"but this program needs", "Install a newer driver, or a gpulab that was built with an older CUDA"},
        {"cudaErrorSystemNotReady", "Start the service nvidia-fabricmanager, which GPUs behind an NVSwitch need"},
        {"cudaErrorUnknown", "Load the module nvidia_uvm again (rmmod nvidia_uvm; nvidia-modprobe -u -c 0)"},
        {"cudaErrorSystemDriverMismatch", "Restart the machine, whose driver was updated while it ran"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(reason, known[i].part) != NULL)
            return known[i].remedy;
    return NULL;
}

static void examine_cuda(struct doctor *doctor, const struct doctor_check *check)
{
    const struct lab_doctor_options *options = doctor->options;
    char why[DOCTOR_TEXT_MAX];
    if (options->cuda[0] == '\0' && doctor->has_gpu)
        doctor_blocks(doctor, check, "Install a package of gpulab with CUDA, or build it where nvcc is found",
                      "this gpulab was built without CUDA, so it cannot use the GPU");
    else if (options->cuda[0] == '\0')
        doctor_missing(doctor, check, NULL, "this gpulab was built without CUDA");
    else if (options->cuda_failed == NULL)
        doctor_works(doctor, check, "version %s, %zu device%s; the driver supports %s", options->cuda_runtime,
                     options->cuda_devices, options->cuda_devices == 1 ? "" : "s", options->cuda_driver);
    else if (doctor->has_gpu)
        doctor_blocks(doctor, check, cuda_remedy(options->cuda_failed), "%s",
                      doctor_shareable(options->cuda_failed, why, sizeof why));
}

static void examine_nvml(struct doctor *doctor, const struct doctor_check *check)
{
    char why[DOCTOR_TEXT_MAX];
    if (!doctor->has_gpu)
        return;
    if (doctor->options->nvml != NULL)
        doctor_works(doctor, check, "found");
    else
        doctor_missing(doctor, check, NULL, "%s", doctor_shareable(doctor->options->nvml_failed, why, sizeof why));
}

static void examine_counters(struct doctor *doctor, const struct doctor_check *check)
{
    char restricted[16];
    if (!doctor->has_gpu || doctor->options->cuda[0] == '\0' ||
        !doctor_find_line(doctor, "/proc/driver/nvidia/params", "RmProfilingAdminOnly:", restricted, sizeof restricted))
        return;
    if (strcmp(restricted, "0") == 0)
        doctor_works(doctor, check, "permitted to all users");
    else if (doctor_has_capability(doctor, DOCTOR_SYS_ADMIN))
        doctor_works(doctor, check, "permitted to administrators, of whom this process has the rights");
    else
        doctor_missing(doctor, check, "Load the module nvidia with " LAB_COUNTERS_REMEDY,
                       "the driver lets only administrators read them");
}

const struct doctor_check doctor_gpu_checks[] = {
    {.name = "gpu", .title = "NVIDIA GPU", .enables = "experiments on a GPU", .examine = examine_gpus},
    {.name = "driver",
     .title = "NVIDIA driver",
     .enables = "experiments on a GPU",
     .debian = "cuda-drivers of NVIDIA's repository, or nvidia-driver of Debian",
     .rhel = "cuda-drivers of NVIDIA's repository",
     .examine = examine_driver},
    {.name = "device-files",
     .title = "files in /dev",
     .enables = "experiments on a GPU",
     .debian = "nvidia-modprobe",
     .rhel = "nvidia-modprobe",
     .examine = examine_device_files},
    {.name = "cuda", .title = "CUDA runtime", .enables = "experiments on a GPU", .examine = examine_cuda},
    {.name = "nvml",
     .title = "NVML",
     .enables = "clocks, temperature, power and throttling of each point, telemetry, readings of health",
     .debian = "libnvidia-ml1, or cuda-drivers of NVIDIA's repository",
     .rhel = "cuda-drivers of NVIDIA's repository",
     .examine = examine_nvml},
    {.name = "counters",
     .title = "hardware counters",
     .enables = "counters of points, and what gpulab explain says of them",
     .examine = examine_counters},
    {0},
};
