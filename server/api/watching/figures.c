#include "figures.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lab_figures {
    pthread_mutex_t lock;
    size_t count, health_count;
    struct lab_headline_figure list[LAB_FIGURES_MAX]; /* the figure that was set least recently first */
    struct lab_health_figure health[LAB_FIGURES_MAX];
};

struct lab_figures *lab_figures_create(void)
{
    struct lab_figures *figures = calloc(1, sizeof *figures);
    if (figures != NULL)
        pthread_mutex_init(&figures->lock, NULL);
    return figures;
}

void lab_figures_free(struct lab_figures *figures)
{
    if (figures == NULL)
        return;
    pthread_mutex_destroy(&figures->lock);
    free(figures);
}

static bool is_same(const struct lab_headline_figure *a, const struct lab_headline_figure *b)
{
    return strcmp(a->experiment, b->experiment) == 0 && strcmp(a->headline, b->headline) == 0 &&
           strcmp(a->unit, b->unit) == 0 && strcmp(a->model, b->model) == 0 && strcmp(a->host, b->host) == 0;
}

/* Makes room at the end of an array by removing an item: the one at `at`, or the first of a full array. Returns the
 * place. */
static size_t make_room(void *list, size_t size, size_t *count, size_t at)
{
    char *items = list;
    if (at == *count && *count < LAB_FIGURES_MAX)
        return (*count)++;
    if (at == *count)
        at = 0;
    memmove(items + at * size, items + (at + 1) * size, (*count - at - 1) * size);
    return *count - 1;
}

void lab_figures_set(struct lab_figures *figures, const struct lab_headline_figure *figure)
{
    size_t at = 0;
    pthread_mutex_lock(&figures->lock);
    while (at < figures->count && !is_same(&figures->list[at], figure))
        at++;
    at = make_room(figures->list, sizeof *figure, &figures->count, at);
    figures->list[at] = *figure;
    pthread_mutex_unlock(&figures->lock);
}

void lab_figures_set_health(struct lab_figures *figures, const char *host, const char *verdict)
{
    struct lab_health_figure figure = {0};
    size_t at = 0;
    snprintf(figure.host, sizeof figure.host, "%s", host);
    snprintf(figure.verdict, sizeof figure.verdict, "%s", verdict);
    pthread_mutex_lock(&figures->lock);
    while (at < figures->health_count && strcmp(figures->health[at].host, figure.host) != 0)
        at++;
    at = make_room(figures->health, sizeof figure, &figures->health_count, at);
    figures->health[at] = figure;
    pthread_mutex_unlock(&figures->lock);
}

size_t lab_figures_list(struct lab_figures *figures, struct lab_headline_figure *list)
{
    pthread_mutex_lock(&figures->lock);
    size_t count = figures->count;
    memcpy(list, figures->list, count * sizeof *list);
    pthread_mutex_unlock(&figures->lock);
    return count;
}

size_t lab_figures_list_health(struct lab_figures *figures, struct lab_health_figure *list)
{
    pthread_mutex_lock(&figures->lock);
    size_t count = figures->health_count;
    memcpy(list, figures->health, count * sizeof *list);
    pthread_mutex_unlock(&figures->lock);
    return count;
}
