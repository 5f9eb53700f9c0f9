#include "devices.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the driver needs besides the file of a device. */
static const char *const shared[] = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"};

static void add(struct program_devices *devices, const char *path)
{
    for (size_t i = 0; i < devices->count; i++)
        if (strcmp(devices->files[i], path) == 0)
            return;
    if (devices->count < PROGRAM_DEVICE_FILES_MAX && strlen(path) < PROGRAM_DEVICE_FILE_SIZE)
        strcpy(devices->files[devices->count++], path);
}

static bool exists(const char *root, const char *path)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    return access(whole, F_OK) == 0;
}

static void add_existing(struct program_devices *devices, const char *root, const char *path)
{
    if (exists(root, path))
        add(devices, path);
}

/* Adds the files of a folder whose names are `prefix` and a number, or with any rest. */
static void add_all(struct program_devices *devices, const char *root, const char *folder, const char *prefix,
                    bool number)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", root, folder);
    DIR *open_folder = opendir(path);
    size_t length = strlen(prefix);
    for (struct dirent *file; open_folder != NULL && (file = readdir(open_folder)) != NULL;) {
        const char *rest = file->d_name + length;
        if (strncmp(file->d_name, prefix, length) != 0 || file->d_name[0] == '.')
            continue;
        if (number && (*rest == '\0' || strspn(rest, "0123456789") != strlen(rest)))
            continue;
        if (snprintf(path, sizeof path, "%s/%.200s", folder, file->d_name) > 0)
            add(devices, path);
    }
    if (open_folder != NULL)
        closedir(open_folder);
}

/* The number of a device's file as the driver says it; -1: unknown. */
static int minor_of(const char *root, const struct lab_device_facts *facts)
{
    char path[PATH_MAX], line[256], bus[sizeof facts->pci_address];
    int minor = -1;
    size_t i = 0;
    for (; i + 1 < sizeof bus && facts->pci_address[i] != '\0'; i++)
        bus[i] = (char)tolower((unsigned char)facts->pci_address[i]);
    bus[i] = '\0';
    snprintf(path, sizeof path, "%s/proc/driver/nvidia/gpus/%s/information", root, bus);
    FILE *in = fopen(path, "r");
    while (in != NULL && minor < 0 && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "Device Minor: %d", &minor) != 1)
            minor = -1;
    if (in != NULL)
        fclose(in);
    return minor;
}

static void add_device(struct program_devices *devices, const struct lab_device_facts *facts, const char *root)
{
    char path[32] = "";
    int minor = minor_of(root, facts);
    snprintf(path, sizeof path, "/dev/nvidia%d", minor);
    if (minor >= 0 && exists(root, path))
        add(devices, path);
    else
        add_all(devices, root, "/dev", "nvidia", true);
}

void program_devices_find(struct program_devices *devices, const struct lab_run *run, const char *root)
{
    size_t used = 0, cuda = 0;
    devices->count = 0;
    used = (size_t)snprintf(devices->visible, sizeof devices->visible, "CUDA_VISIBLE_DEVICES=");
    for (size_t i = 0; i < run->device_count; i++) {
        const struct lab_device_facts *facts = run->facts[i];
        if (strcmp(facts->backend, "cuda") != 0)
            continue;
        used += (size_t)snprintf(devices->visible + used, sizeof devices->visible - used, "%s%s", cuda++ > 0 ? "," : "",
                                 facts->uuid);
        add_device(devices, facts, root);
    }
    for (size_t i = 0; cuda > 0 && i < sizeof shared / sizeof *shared; i++)
        add_existing(devices, root, shared[i]);
    if (cuda > 0)
        add_all(devices, root, "/dev/nvidia-caps", "", false);
}
