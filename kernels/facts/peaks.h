/* Theoretical peaks, computed from attributes and never from the name of a card (METHOD.md 14). */
#ifndef LAB_PEAKS_H
#define LAB_PEAKS_H

#include "facts/facts.h"

/* Bytes per second in one direction of a PCIe link; NAN for an unknown generation or fewer than 1 lane. Line coding is
 * subtracted from
 * the raw rate: 8b/10b for generations 1 and 2, 128b/130b for 3 to 5. Generation 6 has no line code; the CRC and
 * error correction bytes of each flit (14 of 256) are subtracted. Packet headers are not subtracted, so no transfer
 * reaches this peak. */
double lab_peak_pcie(int64_t generation, int64_t lanes);

/* Bytes per second of `count` NVLinks in one direction, packet headers included; NAN for a compute capability that is
 * not known to have any. Sources: NVIDIA's architecture white papers of P100, V100, A100, GA102, H100 and Blackwell. */
double lab_peak_nvlink(const char *compute_capability, int count);

/* Computes all peaks in the facts from the other facts: PCIe from the link; memory from clock and bus width, at two
 * transfers per clock; arithmetic as multiprocessors x SM clock x rate x 2. */
void lab_peaks_derive(struct lab_device_facts *facts);

#endif
