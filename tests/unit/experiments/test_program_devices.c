/* kernels/experiments/program/devices.c: a program has the files of the run's devices, and of no others. */
#include "experiments/program/devices.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static void make(const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *out = fopen(whole, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* Two GPUs, whose files are not in the order of their addresses. */
static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/gpulab-test-XXXXXX");
    assert_non_null(mkdtemp(root));
    static const char *const files[] = {"/dev/nvidia0", "/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm",
                                        "/dev/sda"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        make(files[i], "");
    make("/proc/driver/nvidia/gpus/0000:0a:00.0/information", "Model: \t\t NVIDIA\nDevice Minor: \t 1\nExcluded: No\n");
    make("/proc/driver/nvidia/gpus/0000:0b:00.0/information", "Model: \t\t NVIDIA\nDevice Minor: \t 0\n");
    return 0;
}

static int remove_root(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
    return 0;
}

AROUND_EACH_TEST(.setup = make_root, .teardown = remove_root)

static const struct lab_device_facts first = {.backend = "cuda", .uuid = "GPU-1", .pci_address = "0000:0A:00.0"},
                                     second = {.backend = "cuda", .uuid = "GPU-2", .pci_address = "0000:0B:00.0"},
                                     lost = {.backend = "cuda", .uuid = "GPU-3", .pci_address = "0000:0C:00.0"},
                                     cpu = {.backend = "host"};

static struct program_devices of(const struct lab_device_facts *one, const struct lab_device_facts *other)
{
    static struct program_devices devices;
    const struct lab_run run = {.device_count = other != NULL ? 2 : 1, .facts = {one, other}};
    program_devices_find(&devices, &run, root);
    return devices;
}

static void assert_files(const struct program_devices *devices, const char *expected)
{
    char text[512] = "";
    for (size_t i = 0; i < devices->count; i++)
        strcat(strcat(text, i > 0 ? " " : ""), devices->files[i]);
    assert_string_equal(text, expected);
}

TEST(a_program_has_the_file_of_its_device_and_what_all_share)
{
    struct program_devices devices = of(&first, NULL);
    assert_files(&devices, "/dev/nvidia1 /dev/nvidiactl /dev/nvidia-uvm");
    assert_string_equal(devices.visible, "CUDA_VISIBLE_DEVICES=GPU-1");
    devices = of(&second, &first);
    assert_files(&devices, "/dev/nvidia0 /dev/nvidia1 /dev/nvidiactl /dev/nvidia-uvm");
    assert_string_equal(devices.visible, "CUDA_VISIBLE_DEVICES=GPU-2,GPU-1");
}

TEST(a_program_of_a_host_device_sees_no_gpu)
{
    struct program_devices devices = of(&cpu, NULL);
    assert_files(&devices, "");
    assert_string_equal(devices.visible, "CUDA_VISIBLE_DEVICES=");
}

TEST(the_capabilities_of_instances_are_added)
{
    make("/dev/nvidia-caps/nvidia-cap12", "");
    struct program_devices devices = of(&second, NULL);
    assert_files(&devices, "/dev/nvidia0 /dev/nvidiactl /dev/nvidia-uvm /dev/nvidia-caps/nvidia-cap12");
}

TEST(a_device_whose_file_is_not_known_has_those_of_all)
{
    struct program_devices devices = of(&lost, NULL);
    assert_int_equal(devices.count, 4);
}
