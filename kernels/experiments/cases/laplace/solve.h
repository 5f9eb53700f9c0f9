/* The solution of a small plate: iterations until the residual is below the bound. */
#ifndef LAB_LAPLACE_SOLVE_H
#define LAB_LAPLACE_SOLVE_H

#include "plate.h"

#include "benchmark/report.h"

/* Solves the plate of a point, from values with the longest wave, and reports the iterations that it took, how many it
 * must take, and the time. Reports the solution as a field unless *drawn_n, the size of the last one, is this size.
 * `plate` is closed before; the caller closes it after. Returns false with run->error set. */
bool laplace_solve(struct laplace_plate *plate, const struct lab_report *report, const struct laplace_shape *shape,
                   uint32_t *drawn_n);

#endif
