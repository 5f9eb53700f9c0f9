/* The link, the root port and the NUMA node of a PCIe device, from Linux' sysfs. */
#ifndef LAB_PCI_H
#define LAB_PCI_H

#include <stdint.h>

#define LAB_PCI_DEVICES "/sys/bus/pci/devices"

/* The fastest link that the device at `address` ("0000:3b:00.0") and the port above it both support. *generation and
 * *lanes are left unchanged when the kernel does not report them. `devices` is the directory to read, LAB_PCI_DEVICES
 * except in tests. */
void lab_pci_link(const char *devices, const char *address, int64_t *generation, int64_t *lanes);

/* Writes the address of the root port through which the host reaches the device, below which other devices can share
 * its link; "" when the kernel does not report one, as in many virtual machines. */
void lab_pci_root_port(const char *devices, const char *address, char port[24]);

/* The device's NUMA node; -1 on a machine without NUMA; LAB_UNKNOWN when the kernel does not report it. */
int64_t lab_pci_numa_node(const char *devices, const char *address);

#endif
