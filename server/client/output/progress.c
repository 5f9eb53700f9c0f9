/* Draws the progress line of a run on the terminal. */
#include "progress.h"

#include "terminal.h"

#include "core/clock.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 24 };

void lab_progress_begin(struct lab_progress *progress, const char *name)
{
    *progress = (struct lab_progress){.terminal = isatty(STDERR_FILENO) == 1, .started = lab_clock_now()};
    snprintf(progress->name, sizeof progress->name, "%s", name);
}

void lab_progress_set(struct lab_progress *progress, size_t done, size_t total, const char *label)
{
    progress->done = done;
    progress->total = total;
    snprintf(progress->label, sizeof progress->label, "%s", label);
    lab_progress_draw(progress);
}

void lab_progress_draw(struct lab_progress *progress)
{
    char line[512], bar[BAR_WIDTH + 1];
    double elapsed = lab_clock_now() - progress->started;
    size_t done = progress->done, total = progress->total;
    if (!progress->terminal || progress->hidden)
        return;
    if (total > 0) {
        size_t filled = done >= total ? BAR_WIDTH : done * BAR_WIDTH / total;
        memset(bar, '.', BAR_WIDTH);
        memset(bar, '#', filled);
        bar[BAR_WIDTH] = '\0';
        snprintf(line, sizeof line, "%s [%s] %zu/%zu %.1f s  %s", progress->name, bar, done, total, elapsed,
                 progress->label);
    } else {
        snprintf(line, sizeof line, "%s %.1f s  %s", progress->name, elapsed, progress->label);
    }
    line[lab_utf8_prefix(line, lab_terminal_width(stderr) - 1)] = '\0';
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    progress->drawn = true;
}

void lab_progress_clear(struct lab_progress *progress)
{
    if (!progress->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->drawn = false;
}
