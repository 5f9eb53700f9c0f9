/* Divides the time budget of a run. */
#include "measure/budget.h"

#include "measure/clock.h"

#include <math.h>

/* Slow points take at least a few samples, so a run may exceed its budget. The limits are such that measurement and
 * trace pass together take at most 1.5 times the budget and 5 s. */
static const double overrun = 1.25, grace_s = 2, traced_share = 0.25;

struct lab_budget lab_budget_start(double total_s, size_t points, bool tracing)
{
    double now = lab_now_s(), pass_s = tracing ? traced_share * total_s : total_s;
    double limit_s = tracing ? pass_s : overrun * total_s;
    return (struct lab_budget){.total_s = total_s,
                               .end_s = now + pass_s,
                               .hard_end_s = now + limit_s + grace_s,
                               .points_left = points > 0 ? points : 1};
}

double lab_budget_share_end(const struct lab_budget *budget, size_t points)
{
    double now = lab_now_s();
    return now + fmax(0, budget->end_s - now) * fmin((double)points / (double)budget->points_left, 1);
}

void lab_budget_next_point(struct lab_budget *budget)
{
    if (budget->points_left > 1)
        budget->points_left--;
}

void lab_budget_extend(struct lab_budget *budget, double seconds)
{
    budget->end_s += seconds;
    budget->hard_end_s += seconds;
}

double lab_budget_remaining_s(const struct lab_budget *budget)
{
    return budget->hard_end_s - lab_now_s();
}
