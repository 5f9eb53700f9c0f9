/* Theoretical peaks that follow from attributes, never from the name of a card (METHOD.md 14).
 */
#ifndef LAB_PEAKS_H
#define LAB_PEAKS_H

#include "facts.h"

/* What one multiprocessor finishes in one clock: fused multiply-adds, each of which counts as two operations. NAN where
 * nothing is known of the compute capability or the type.
 * Source: CUDA C++ Programming Guide (since 13.0: Best Practices Guide), "Throughput of Native Arithmetic
 * Instructions"; of 10.3 the published peak of a B300. */
struct lab_arithmetic_rate {
    double fp32, fp64;
};

struct lab_arithmetic_rate lab_peak_arithmetic(int major, int minor);

/* Bytes per second in one direction of a PCIe link, NAN for a link that is not known. Counted off the raw rate: 8b/10b
 * (generations 1 and 2) or 128b/130b (3 to 5) line coding; of generation 6, which has no line code, the check and
 * correction bytes of each flit (14 of 256). Packet headers are not counted off, so no transfer reaches the figure. */
double lab_peak_pcie(int64_t generation, int64_t lanes);

/* Sets pcie_peak_bytes_per_s, memory_peak_bytes_per_s, fp32_peak_flops and fp64_peak_flops from the other facts: link,
 * memory clock and bus width (two transfers a clock), multiprocessors x SM clock x rate x 2. */
void lab_peaks_derive(struct lab_device_facts *facts);

#endif
