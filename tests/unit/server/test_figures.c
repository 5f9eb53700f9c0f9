/* server/api/watching/figures.c: one figure of each headline, and no more than fit. */
#include "support/test.h"
#include "watching/figures.h"

#include <stdio.h>
#include <stdlib.h>

TEST(test_figures)
{
    struct lab_figures *figures = lab_figures_create();
    struct lab_headline_figure *list = calloc(LAB_FIGURES_MAX, sizeof *list), figure = {.experiment = "transfer"};
    assert_non_null(figures);
    assert_non_null(list);
    assert_int_equal(lab_figures_list(figures, list), 0);
    for (int i = 0; i < LAB_FIGURES_MAX + 3; i++) {
        snprintf(figure.headline, sizeof figure.headline, "%d", i);
        figure.value = i;
        lab_figures_set(figures, &figure);
    }
    assert_int_equal(lab_figures_list(figures, list), LAB_FIGURES_MAX);
    assert_string_equal(list[0].headline, "3");
    assert_string_equal(list[LAB_FIGURES_MAX - 1].headline, "514");
    snprintf(figure.headline, sizeof figure.headline, "3");
    figure.value = 1000;
    lab_figures_set(figures, &figure);
    assert_int_equal(lab_figures_list(figures, list), LAB_FIGURES_MAX);
    assert_string_equal(list[0].headline, "4");
    assert_true(list[LAB_FIGURES_MAX - 1].value == 1000);
    free(list);
    lab_figures_free(figures);
}

TEST(test_health)
{
    struct lab_figures *figures = lab_figures_create();
    struct lab_health_figure *list = calloc(LAB_FIGURES_MAX, sizeof *list);
    assert_non_null(figures);
    assert_non_null(list);
    lab_figures_set_health(figures, "n1", "healthy");
    lab_figures_set_health(figures, "n2", "warning");
    lab_figures_set_health(figures, "n1", "unhealthy");
    assert_int_equal(lab_figures_list_health(figures, list), 2);
    assert_string_equal(list[0].host, "n2");
    assert_string_equal(list[1].verdict, "unhealthy");
    free(list);
    lab_figures_free(figures);
}
