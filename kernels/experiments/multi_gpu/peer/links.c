/* The PCIe links of the devices: their peaks, and what devices share on the way to the host. */
#include "peer.h"

#include "benchmark/copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether the kind of link to the other device begins with that word. */
static bool joined_by(const struct lab_device_facts *facts, const char *other, const char *word)
{
    for (size_t i = 0; i < facts->peer_count; i++)
        if (strcmp(facts->peers[i].id, other) == 0)
            return strncmp(facts->peers[i].link, word, strlen(word)) == 0;
    return false;
}

bool peer_has_own_link(const struct lab_device_facts *const *devices, const struct lab_point *point)
{
    const struct lab_device_facts *source = devices[point->values[PEER_SOURCE]],
                                  *target = devices[point->values[PEER_TARGET]];
    return point->values[PEER_ACCESS] == 1 && joined_by(source, target->id, "NVLink");
}

struct lab_peak peer_link_peak(const struct lab_device_facts *source, const struct lab_device_facts *target,
                               char what[64])
{
    if (!joined_by(source, target->id, "PCIe"))
        return (struct lab_peak){0};
    bool source_is_slower = source->pcie_peak_bytes_per_s < target->pcie_peak_bytes_per_s;
    return lab_link_peak(source_is_slower ? source : target, false, what);
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
