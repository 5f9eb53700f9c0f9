/* Whether what happened is worth a notice, and what the notice says. */
#ifndef LAB_WATCHING_JUDGE_H
#define LAB_WATCHING_JUDGE_H

#include "resources.h"

enum lab_watch_kind {
    LAB_WATCH_SLOWER, /* a point is worse than usual, as GET /runs/{id}/normal judges */
    LAB_WATCH_SHIFT,  /* a lasting change was found with this run, as in GET /series */
    LAB_WATCH_LIMIT,  /* a value is outside of fixed limits */
    LAB_WATCH_HEALTH, /* a health check found a device unhealthy */
    LAB_WATCH_NODE,   /* no run can be started on a machine */
    LAB_WATCH_DISK,   /* nothing can be stored */
};

/* By enum lab_watch_kind; ends with NULL. */
extern const char *const lab_watch_kinds[];

/* The content of the notice about a run that has ended: {kind, at, title, text, run, experiment, host, tags}, a new
 * reference; NULL when there is nothing to say by this watch. `title` and `text` are plain text. */
json_t *lab_judge_run(const struct lab_api *api, const struct lab_run_row *run, const struct lab_watch_row *watch);
/* The same about the lab: `subject` is the name of a machine, or NULL. */
json_t *lab_judge_lab(enum lab_watch_kind kind, const char *subject, const char *reason);

/* Sets the figures of a run that has ended: its headlines, or the verdict of a health check. */
void lab_judge_figures(const struct lab_api *api, const struct lab_run_row *run);
/* watcher.c: adds a notice with this content, whose reference it takes, to those that wait for the channel, and writes
 * the id of its delivery. LAB_STORE_NOT_FOUND: there is no such channel. */
enum lab_store_result lab_notice_add(struct lab_store *store, int64_t channel, json_t *content,
                                     char delivery[LAB_RUN_ID_SIZE]);

#endif
