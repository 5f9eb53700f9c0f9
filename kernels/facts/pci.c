/* Reads the link, the root port and the NUMA node of a PCIe device from sysfs. */
#include "facts/pci.h"

#include "facts/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the number at the beginning of the file `name` in the device's directory. */
static bool read_number(const char *devices, const char *address, const char *name, double *number)
{
    char path[256];
    if (snprintf(path, sizeof path, "%s/%s/%s", devices, address, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool read = fscanf(file, "%lf", number) == 1; /* the file contains "32.0 GT/s PCIe", "8 GT/s", "16", "Unknown" */
    fclose(file);
    return read;
}

/* The PCIe generation that has this transfer rate; 0 below the rate of generation 1. */
static int64_t generation_of(double gigatransfers_per_s)
{
    static const double rates[] = {2.5, 5, 8, 16, 32, 64};
    int64_t generation = 0;
    while (generation < (int64_t)(sizeof rates / sizeof *rates) && gigatransfers_per_s >= rates[generation])
        generation++;
    return generation;
}

void lab_pci_link(const char *devices, const char *address, int64_t *generation, int64_t *lanes)
{
    double speed, width, port_limit;
    if (!read_number(devices, address, "max_link_speed", &speed) ||
        !read_number(devices, address, "max_link_width", &width))
        return;
    /* The device's directory is a symbolic link into the tree of devices, so ".." is the directory of the port that the
     * device is connected to. A virtual machine may not have this directory. */
    if (read_number(devices, address, "../max_link_speed", &port_limit) && port_limit < speed)
        speed = port_limit;
    if (read_number(devices, address, "../max_link_width", &port_limit) && port_limit < width)
        width = port_limit;
    if (generation_of(speed) < 1 || width < 1 || width > 32) /* a virtual link reports 0 or 255 */
        return;
    *generation = generation_of(speed);
    *lanes = (int64_t)width;
}

/* The resolved path ends with the addresses of the ports between root and device:
 * "…/pci0000:3a/0000:3a:00.0/0000:3b:00.0". */
void lab_pci_root_port(const char *devices, const char *address, char port[24])
{
    static const char bus[] = "/pci";
    char link[256];
    port[0] = '\0';
    if (snprintf(link, sizeof link, "%s/%s", devices, address) >= (int)sizeof link)
        return;
    char *path = realpath(link, NULL), *last = NULL;
    for (char *at = path; at != NULL && (at = strstr(at, bus)) != NULL; at += strlen(bus))
        last = at + strlen(bus);
    char *root = last != NULL ? strchr(last, '/') : NULL, *end = root != NULL ? strchr(root + 1, '/') : NULL;
    if (end != NULL) /* otherwise the device itself is at the root */
        snprintf(port, 24, "%.*s", (int)(end - root - 1), root + 1);
    free(path);
}

int64_t lab_pci_numa_node(const char *devices, const char *address)
{
    double node;
    return read_number(devices, address, "numa_node", &node) ? (int64_t)node : LAB_UNKNOWN;
}
