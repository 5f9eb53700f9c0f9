/* Theoretical peaks, computed from attributes and never from the name of a card (METHOD.md 14). */
#ifndef LAB_PEAKS_H
#define LAB_PEAKS_H

#include "facts/facts.h"

/* Fused multiply-adds per clock of one multiprocessor; each counts as two operations. NAN for a compute capability or
 * type that is not known, where there is no such unit, and where cards of one compute capability differ (tensor cores
 * with fp32 accumulation of 7.5, 8.6, 8.9 and 12.0).
 * Sources: for cores the CUDA C++ Programming Guide (since 13.0 the Best Practices Guide), "Throughput of Native
 * Arithmetic Instructions"; for tensor cores, without sparsity, NVIDIA's architecture white papers of V100, A100,
 * H100 and Blackwell; for 10.3 the published peaks of a B300. */
struct lab_arithmetic_rate {
    double fp32, fp64;
    double tensor_fp64, tensor_tf32, tensor_bf16, tensor_fp16, tensor_fp8; /* accumulation in fp32; for fp64 in fp64 */
};

/* The rates of compute capability `major`.`minor`; all NAN when it is not in the table. */
struct lab_arithmetic_rate lab_peak_arithmetic(int major, int minor);

/* Bytes per second in one direction of a PCIe link; NAN for an unknown generation or fewer than 1 lane. Line coding is
 * subtracted from
 * the raw rate: 8b/10b for generations 1 and 2, 128b/130b for 3 to 5. Generation 6 has no line code; the CRC and
 * error correction bytes of each flit (14 of 256) are subtracted. Packet headers are not subtracted, so no transfer
 * reaches this peak. */
double lab_peak_pcie(int64_t generation, int64_t lanes);

/* Computes all peaks in the facts from the other facts: PCIe from the link; memory from clock and bus width, at two
 * transfers per clock; arithmetic as multiprocessors x SM clock x rate x 2. */
void lab_peaks_derive(struct lab_device_facts *facts);

#endif
