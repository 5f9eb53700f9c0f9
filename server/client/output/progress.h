/* A line on the terminal that shows a run's progress. Prints nothing when stderr is not a terminal. */
#ifndef LAB_PROGRESS_H
#define LAB_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct lab_progress {
    bool terminal;      /* stderr is a terminal */
    bool drawn;         /* the line is on the terminal */
    bool hidden;        /* not drawn, because another text ends in the line where it would be */
    double started;     /* seconds of the monotonic clock */
    char name[64];      /* of the experiment */
    size_t done, total; /* points; total 0: unknown */
    char label[160];    /* the current point or state */
};

/* Initialises *progress for an experiment and starts its clock. Draws nothing. */
void lab_progress_begin(struct lab_progress *progress, const char *name);
/* Sets the progress and draws it. With `total` 0, only `label` is shown. */
void lab_progress_set(struct lab_progress *progress, size_t done, size_t total, const char *label);
/* Redraws the line with the current time. */
void lab_progress_draw(struct lab_progress *progress);
/* Erases the line. */
void lab_progress_clear(struct lab_progress *progress);

#endif
