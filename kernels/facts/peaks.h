/* Theoretical peaks that follow from attributes, never from the name of a card (METHOD.md 14).
 */
#ifndef LAB_PEAKS_H
#define LAB_PEAKS_H

#include "facts/facts.h"

/* What one multiprocessor finishes in one clock: fused multiply-adds, each of which counts as two operations. NAN where
 * nothing is known of the compute capability or the type, where there is no such unit, and where cards of one compute
 * capability differ (tensor cores that add in fp32, of 7.5, 8.6, 8.9 and 12.0).
 * Sources: cores, CUDA C++ Programming Guide (since 13.0: Best Practices Guide), "Throughput of Native Arithmetic
 * Instructions"; tensor cores, without sparsity, NVIDIA's architecture white papers of V100, A100, H100 and Blackwell; of
 * 10.3 the published peaks of a B300. */
struct lab_arithmetic_rate {
    double fp32, fp64;
    double tensor_fp64, tensor_tf32, tensor_bf16, tensor_fp16; /* sums in fp32, of fp64 in fp64 */
};

struct lab_arithmetic_rate lab_peak_arithmetic(int major, int minor);

/* Bytes per second in one direction of a PCIe link, NAN for a link that is not known. Counted off the raw rate: 8b/10b
 * (generations 1 and 2) or 128b/130b (3 to 5) line coding; of generation 6, which has no line code, the check and
 * correction bytes of each flit (14 of 256). Packet headers are not counted off, so no transfer reaches the figure. */
double lab_peak_pcie(int64_t generation, int64_t lanes);

/* Sets all facts that are peaks from the others: link, memory clock and bus width (two transfers a clock),
 * multiprocessors x SM clock x rate x 2. */
void lab_peaks_derive(struct lab_device_facts *facts);

#endif
