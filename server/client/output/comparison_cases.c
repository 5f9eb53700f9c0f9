#include "comparison_cases.h"

#include "axes.h"

#include "core/json_members.h"
#include "core/run_status.h"

#include <stdlib.h>
#include <string.h>

bool lab_comparison_wrong(const json_t *run, const char *side, char *text, size_t size)
{
    double wrong = lab_number_of(run, "wrong_count");
    bool failed = lab_status_is(lab_text_of(run, "status"), LAB_STATUS_FAILED);
    if (wrong > 0)
        snprintf(text, size, "%.0f results of the %s are wrong", wrong, side);
    else if (failed)
        snprintf(text, size, "the %s failed", side);
    return wrong > 0 || failed;
}

static void add_point(struct lab_document *document, const json_t *point, const json_t *experiment,
                      const struct lab_failing *failing)
{
    const char *verdict = lab_text_of(point, "verdict"), *reason = lab_text_of(point, "reason");
    bool is_slower = strcmp(verdict, "slower") == 0, is_unclear = strcmp(verdict, "unclear") == 0;
    char *axes = lab_axes_as_text(json_object_get(point, "axes"), experiment), *name = NULL, *text = NULL;
    enum lab_case_result outcome = (is_slower && failing->slower) || (is_unclear && failing->unclear) ? LAB_CASE_FAILED
                                   : is_unclear                                                       ? LAB_CASE_SKIPPED
                                                                                                      : LAB_CASE_PASSED;
    if (asprintf(&name, "%s%s%s", lab_text_of(point, "metric"), axes != NULL && axes[0] != '\0' ? " " : "",
                 axes != NULL ? axes : "") < 0)
        name = NULL;
    if (asprintf(&text, "%s: head / base is %.4g%s%s", verdict, lab_number_of(point, "ratio"),
                 reason[0] != '\0' ? "; " : "", reason) < 0)
        text = NULL;
    if (name != NULL && text != NULL)
        lab_document_case(document, name, outcome, text);
    free(axes);
    free(name);
    free(text);
}

void lab_comparison_cases(struct lab_document *document, const json_t *comparison, const json_t *experiment,
                          const struct lab_failing *failing)
{
    static const char *const sides[] = {"base", "head"};
    size_t index;
    json_t *point;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        char text[96] = "";
        bool is_wrong = lab_comparison_wrong(json_object_get(comparison, sides[i]), sides[i], text, sizeof text);
        lab_document_case(document, sides[i], is_wrong && failing->wrong ? LAB_CASE_FAILED : LAB_CASE_PASSED, text);
    }
    json_array_foreach(json_object_get(comparison, "points"), index, point)
    {
        if (lab_text_of(point, "verdict")[0] != '\0')
            add_point(document, point, experiment, failing);
    }
}
