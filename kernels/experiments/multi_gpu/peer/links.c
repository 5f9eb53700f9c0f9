/* The PCIe links of the devices: their peaks, and what devices share on the way to the host. */
#include "peer.h"

#include "benchmark/copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the source knows of its link to the target; NULL: nothing. */
static const struct lab_peer_fact *link_between(const struct lab_device_facts *source,
                                                const struct lab_device_facts *target)
{
    for (size_t i = 0; i < source->peer_count; i++)
        if (strcmp(source->peers[i].id, target->id) == 0)
            return &source->peers[i];
    return NULL;
}

bool peer_has_own_link(const struct lab_device_facts *const *devices, const struct lab_point *point)
{
    static const char nvlink[] = "NVLink";
    const struct lab_peer_fact *link =
        link_between(devices[point->values[PEER_SOURCE]], devices[point->values[PEER_TARGET]]);
    return point->values[PEER_ACCESS] == 1 && link != NULL && strncmp(link->link, nvlink, sizeof nvlink - 1) == 0;
}

struct lab_peak peer_link_peak(const struct lab_device_facts *source, const struct lab_device_facts *target, bool both,
                               char what[64])
{
    const struct lab_peer_fact *link = link_between(source, target);
    bool source_is_slower = source->pcie_peak_bytes_per_s < target->pcie_peak_bytes_per_s;
    if (link != NULL && strcmp(link->link, "PCIe") == 0)
        return lab_link_peak(source_is_slower ? source : target, both, what);
    if (link == NULL || !(link->peak_bytes_per_s > 0))
        return (struct lab_peak){0};
    snprintf(what, 64, "%.32s, %s", link->link, both ? "both directions" : "one direction");
    return (struct lab_peak){link->peak_bytes_per_s / 1e9 * (both ? 2 : 1), what};
}

/* The first of the devices that has the root port of device `index`; `index` itself if no earlier one has it. */
static size_t first_of_port(const struct lab_device_facts *const *devices, size_t index)
{
    for (size_t i = 0; i < index && devices[index]->pci_root_port[0] != '\0'; i++)
        if (strcmp(devices[i]->pci_root_port, devices[index]->pci_root_port) == 0)
            return i;
    return index;
}

struct lab_peak peer_host_links_peak(const struct lab_device_facts *const *devices, size_t count, char what[64])
{
    size_t links = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (first_of_port(devices, i) == i) {
            links++;
            sum += devices[i]->pcie_peak_bytes_per_s / 1e9;
        }
    snprintf(what, 64, "%zu PCIe links together, one direction", links);
    return (struct lab_peak){sum, what};
}

/* How many different NUMA nodes the devices have; 0: not known, or a machine without them. */
static size_t count_nodes(const struct lab_device_facts *const *devices, size_t count)
{
    size_t nodes = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        if (devices[i]->numa_node < 0)
            return 0;
        for (size_t k = 0; k < i; k++)
            seen = seen || devices[k]->numa_node == devices[i]->numa_node;
        nodes += !seen;
    }
    return nodes;
}

void peer_host_links_describe(const struct lab_device_facts *const *devices, size_t count, char text[PEER_LINKS_TEXT])
{
    size_t ports = 0, nodes = count_nodes(devices, count);
    bool known = true;
    char memory[64] = "the memory of the host";
    for (size_t i = 0; i < count; i++) {
        ports += first_of_port(devices, i) == i;
        known = known && devices[i]->pci_root_port[0] != '\0';
    }
    if (nodes > 0)
        snprintf(memory, sizeof memory, "the memory of %zu NUMA node%s", nodes, nodes > 1 ? "s" : "");
    if (lab_facts_is_cpu(devices[0]))
        snprintf(text, PEER_LINKS_TEXT, "host-up and host-down: these devices have no link; %s limits the copies",
                 memory);
    else if (!known)
        snprintf(
            text, PEER_LINKS_TEXT,
            "host-up and host-down: the root ports of the %zu devices are not known, as in a virtual machine; what all "
            "devices together reach less than their links is limited by a port that they share, or by %s",
            count, memory);
    else if (ports < count)
        snprintf(
            text, PEER_LINKS_TEXT,
            "host-up and host-down: the %zu devices share %zu root port%s, whose links limit the copies, unless %s does",
            count, ports, ports > 1 ? "s" : "", memory);
    else
        snprintf(
            text, PEER_LINKS_TEXT,
            "host-up and host-down: each of the %zu devices has a root port of its own; what they reach together less than "
            "their links is limited by %s, or by the way to it",
            count, memory);
}
