/* One line on a terminal that says how far a run is; nothing at all where stderr is no terminal.
 */
#ifndef LAB_PROGRESS_H
#define LAB_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct lab_progress {
    bool terminal;
    bool drawn;     /* a line stands there */
    double started; /* seconds of the monotonic clock */
    char name[64];  /* of the experiment */
    size_t done, total;
    char label[160];
};

void lab_progress_begin(struct lab_progress *progress, const char *name);
/* Tells how far it is. `total` 0: how much there is to do is not known, `label` alone is shown. */
void lab_progress_set(struct lab_progress *progress, size_t done, size_t total, const char *label);
/* Redraws the line: its clock goes on also when nothing else does. */
void lab_progress_draw(struct lab_progress *progress);
/* Takes the line away. */
void lab_progress_clear(struct lab_progress *progress);

#endif
