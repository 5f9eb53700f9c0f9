/* Holding the queue while no worker answers. */
#include "hold.h"

#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double first_pause_s = 1, longest_pause_s = 30;

/* Begins the next pause, twice as long as the one before. */
static void pause_again(struct lab_hold *hold, double now)
{
    hold->pause_s = hold->pause_s > 0 ? fmin(2 * hold->pause_s, longest_pause_s) : first_pause_s;
    hold->retry_at = now + hold->pause_s;
}

void lab_hold_begin(struct lab_hold *hold)
{
    *hold = (struct lab_hold){.reason = "The worker has not listed its devices yet."};
}

void lab_hold_for_good(struct lab_hold *hold, const char *why)
{
    *hold = (struct lab_hold){.retry_at = INFINITY};
    lab_utf8_copy(hold->reason, sizeof hold->reason, why);
}

void lab_hold_no_worker(struct lab_hold *hold, const char *why, double now)
{
    lab_utf8_copy(hold->reason, sizeof hold->reason, why);
    pause_again(hold, now);
}

void lab_hold_worker_answered(struct lab_hold *hold)
{
    hold->reason[0] = '\0';
    if (hold->failed_starts < LAB_FAILED_STARTS_MAX) /* else only a run shows whether its workers are right again */
        hold->pause_s = 0;
}

void lab_hold_run_began(struct lab_hold *hold)
{
    *hold = (struct lab_hold){0};
}

void lab_hold_start_failed(struct lab_hold *hold, const char *why, double now)
{
    if (++hold->failed_starts < LAB_FAILED_STARTS_MAX)
        return;
    snprintf(hold->reason, sizeof hold->reason,
             "The workers of the last %u runs ended before they had begun to measure. ", hold->failed_starts);
    size_t used = strlen(hold->reason);
    lab_utf8_copy(hold->reason + used, sizeof hold->reason - used, why);
    pause_again(hold, now);
}
