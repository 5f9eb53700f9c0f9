/* The time budget of a run: how long each point may take, and when the run must end (METHOD.md 5). */
#ifndef LAB_BUDGET_H
#define LAB_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* Times are on the clock of lab_now_s. */
struct lab_budget {
    double total_s;     /* the parameter time_budget_s */
    double end_s;       /* the shares of all points end by then */
    double hard_end_s;  /* no point is started, and no more samples are taken, after this */
    size_t points_left; /* points that have not yet been measured or skipped; at least 1 */
};

/* Starts the budget now. `tracing`: of the pass that records the timeline after the measurement. */
struct lab_budget lab_budget_start(double total_s, size_t points, bool tracing);

/* The end of the share of the current point, or of the current `points` that are measured together: the remaining time
 * is divided equally among the remaining points. */
double lab_budget_share_end(const struct lab_budget *budget, size_t points);

/* Ends the current point, so that the time that it did not use is left for the others. */
void lab_budget_next_point(struct lab_budget *budget);

/* Moves all ends by `seconds`, which were used for what is not part of the budget. */
void lab_budget_extend(struct lab_budget *budget, double seconds);

/* Seconds until hard_end_s; negative after it. */
double lab_budget_remaining_s(const struct lab_budget *budget);

#endif
