#include "comparison_sentences.h"

#include "core/json_members.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void lab_comparison_print_warnings(FILE *out, const json_t *warnings)
{
    size_t index;
    json_t *each;
    json_array_foreach(warnings, index, each)
    {
        fprintf(out, "warning: %s\n", json_string_value(each) != NULL ? json_string_value(each) : "");
    }
}

void lab_comparison_print_missing_samples(FILE *out, const json_t *comparison)
{
    const json_t *missing = json_object_get(comparison, "samples_missing");
    double base = lab_number_of(missing, "base"), head = lab_number_of(missing, "head");
    if (!(base > 0) && !(head > 0))
        return;
    const char *sides = base > 0 && head > 0 ? "base and head have" : base > 0 ? "base has" : "head has";
    fprintf(out,
            "NO SAMPLES: %s none at %.0f points, and nothing can be judged without.\n"
            "They were left out of an export, or removed by --keep-samples-days. Import the run again from an\n"
            "export that has them ('gpulab export' without --no-samples), or measure again.\n\n",
            sides, base > head ? base : head);
}

/* Prints the reason of points that are unclear for the same one, and how much time would decide them. */
static void print_reason(FILE *out, const char *reason, const json_t *points)
{
    static const double shown_max = 100; /* a point that needs more is too close to the minimum effect */
    double most = 0;
    size_t index;
    json_t *point;
    json_array_foreach(points, index, point)
    {
        most = fmax(most, lab_number_of(point, "needed"));
    }
    fprintf(out, "unclear, %zu points: %s", json_array_size(points), reason);
    if (most > 0)
        fprintf(out, "; %s%.3g times the time budget would probably decide %s", most > shown_max ? "over " : "",
                fmin(most, shown_max), json_array_size(points) == 1 ? "it" : "all");
    fputc('\n', out);
}

void lab_comparison_print_reasons(FILE *out, const json_t *points, const char *only)
{
    json_t *reasons = json_object(), *point, *same;
    size_t index;
    const char *reason;
    bool shown = only == NULL || strcmp(only, "unclear") == 0;
    json_array_foreach(points, index, point)
    {
        reason = lab_text_of(point, "reason");
        if (!shown || reason[0] == '\0' || strcmp(lab_text_of(point, "verdict"), "unclear") != 0)
            continue;
        if (json_object_get(reasons, reason) == NULL)
            json_object_set_new(reasons, reason, json_array());
        json_array_append(json_object_get(reasons, reason), point);
    }
    if (json_object_size(reasons) > 0)
        fputc('\n', out);
    json_object_foreach(reasons, reason, same)
    {
        print_reason(out, reason, same);
    }
    json_decref(reasons);
}

/* Says how many points only one of the runs has. */
static void print_missing(FILE *out, const json_t *comparison, const char *member, const char *side)
{
    double count = lab_number_of(json_object_get(comparison, member), "count");
    if (count > 0)
        fprintf(out, "%.0f points only in %s\n", count, side);
}

void lab_comparison_print_summary(FILE *out, const json_t *comparison)
{
    static const char *const verdicts[] = {"slower", "faster", "same", "unclear"};
    const json_t *summary = json_object_get(comparison, "summary");
    double compared = 0;
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        compared += lab_number_of(summary, verdicts[i]);
    fprintf(out, "\n%.0f points:", compared);
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        fprintf(out, "%s %.0f %s", i > 0 ? "," : "", lab_number_of(summary, verdicts[i]), verdicts[i]);
    fprintf(out, "; together %s\n", lab_text_of(comparison, "verdict"));
    print_missing(out, comparison, "only_base", "base");
    print_missing(out, comparison, "only_head", "head");
}
