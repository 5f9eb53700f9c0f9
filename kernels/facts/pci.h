/* What Linux tells of a PCIe device: its link and its NUMA node.
 */
#ifndef LAB_PCI_H
#define LAB_PCI_H

#include <stdint.h>

#define LAB_PCI_DEVICES "/sys/bus/pci/devices"

/* The fastest link of the device at `address` ("0000:3b:00.0") and the port above it together; both are left as they
 * are where the kernel does not tell. `devices` is the folder to look in. */
void lab_pci_link(const char *devices, const char *address, int64_t *generation, int64_t *lanes);

/* The NUMA node, -1 where the machine has none, LAB_UNKNOWN where the kernel does not tell. */
int64_t lab_pci_numa_node(const char *devices, const char *address);

#endif
