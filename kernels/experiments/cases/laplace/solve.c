/* Iterates until the residual is below the bound. */
#include "solve.h"

#include "measure/clock.h"

#include <stdlib.h>

/* Iterations after which the host looks at the residual. */
static uint32_t iterations_at_once(const struct laplace_plate *plate)
{
    bool each = plate->variant == LAPLACE_SEPARATE || plate->variant == LAPLACE_FUSED;
    return each ? 2 : plate->iterations;
}

// region solve
/* Sets *iterations. Gives up after `most`, and when the run is cancelled. */
static bool iterate_to(struct laplace_plate *plate, double bound, double most, double *iterations)
{
    uint32_t at_once = iterations_at_once(plate);
    for (*iterations = 0; *iterations < most && !lab_run_cancelled(plate->run);) {
        bool queued = at_once == plate->iterations ? laplace_enqueue(plate) : laplace_iterate(plate, at_once);
        if (!queued || !laplace_synchronize(plate))
            return lab_run_forward_error(plate->run, plate->lanes[0].device, false);
        *iterations += at_once;
        if (laplace_residual(plate) < bound)
            return true;
    }
    return true;
}
// end

/* Reports the values of the plate: the interior, without the margins of its rows. */
static bool report_field(struct laplace_plate *plate, const struct lab_report *report)
{
    const struct laplace_slice *slice = &plate->slices[0];
    const struct lab_lane *lane = &plate->lanes[0];
    size_t pitch = laplace_pitch(slice->part.n), n = slice->part.n, rows = slice->part.rows;
    float *all = malloc(pitch * (rows + 2) * sizeof *all), *interior = malloc(n * rows * sizeof *interior);
    bool good = all != NULL && interior != NULL;
    if (!good)
        lab_error_set(&plate->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the field");
    good = good && lab_run_forward_error(plate->run, lane->device,
                                         plate->runtime->copy(lane->device, lane->stream, all, slice->values[0],
                                                              pitch * (rows + 2) * sizeof *all, LAB_D2H) &&
                                             laplace_synchronize(plate));
    for (size_t row = 0; good && row < rows; row++)
        for (size_t column = 0; column < n; column++)
            interior[row * n + column] = all[(row + 1) * pitch + MARGIN + column];
    good = good && lab_report_field(report, "temperature", interior, rows, n);
    free(interior);
    free(all);
    return good;
}

bool laplace_solve(struct laplace_plate *plate, const struct lab_report *report, const struct laplace_shape *shape,
                   uint32_t *drawn_n)
{
    const struct lab_report computed = {.run = report->run, .point = report->point};
    const double bound = lab_parameter_number(report->run->parameters, "bound"), patience = 2;
    struct laplace_shape slowest = *shape;
    double iterations;
    slowest.mode = 1;
    if (!laplace_plate_open(plate, report->run, &slowest))
        return false;
    double predicted = laplace_predicted_iterations(shape->n, bound), start = lab_now_s();
    if (!iterate_to(plate, bound, patience * predicted + shape->iterations, &iterations))
        return false;
    double seconds = lab_now_s() - start;
    if (!lab_report_value(&computed, "iterations", iterations) ||
        !lab_report_value(&computed, "predicted_iterations", predicted) ||
        !lab_report_value(&computed, "solve_time", seconds))
        return false;
    if (*drawn_n == shape->n)
        return true;
    *drawn_n = shape->n;
    return report_field(plate, &computed);
}
