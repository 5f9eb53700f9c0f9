/* Finds the cautions of a measurement, by one table. */
#include "analysis/cautions.h"

#include "core/format.h"
#include "core/json_members.h"
#include "core/throttle.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double noise_max = 0.05;
static const double drift_min = 0.02;

static const json_t *shape_of(const json_t *measurement)
{
    return json_object_get(measurement, "shape");
}

/* --- throttled ---------------------------------------------------------------------------------------------------- */

static json_t *throttled(const json_t *measurement)
{
    json_t *reasons = lab_throttle_cautions(json_object_get(json_object_get(measurement, "conditions"), "throttle"));
    json_t *names = json_string(""), *reason, *text = NULL;
    size_t index;
    json_array_foreach(reasons, index, reason)
    {
        json_t *before = names;
        names = json_sprintf("%s%s%s", json_string_value(before), index > 0 ? ", " : "", json_string_value(reason));
        json_decref(before);
    }
    if (json_array_size(reasons) > 0)
        text = json_sprintf("The device was throttled (%s), so the value may be too low.", json_string_value(names));
    json_decref(names);
    json_decref(reasons);
    return text;
}

/* --- drifting ----------------------------------------------------------------------------------------------------- */

/* A drift is larger than its uncertainty, and moves the median by the smallest effect that comparisons report. Where
 * its size is not known, sampling has ended because of it, and it may be so large: a steady drift leaves the quartiles
 * half of it apart. */
static json_t *drifting(const json_t *measurement)
{
    double drift = lab_number_of(shape_of(measurement), "drift");
    double low = lab_number_of(shape_of(measurement), "drift_low");
    double high = lab_number_of(shape_of(measurement), "drift_high");
    char size[LAB_FORMAT_SIZE], least[LAB_FORMAT_SIZE], most[LAB_FORMAT_SIZE];
    if (isnan(drift))
        return strcmp(lab_text_of(measurement, "stop_reason"), "drifting") == 0 &&
                       lab_number_of(measurement, "noise") >= drift_min / 2
                   ? json_string("The samples were still becoming higher or lower when sampling ended.")
                   : NULL;
    if (fabs(drift) < drift_min || !(low > 0 || high < 0))
        return NULL;
    return json_sprintf("The samples %s by %s within the point (%s to %s).", drift < 0 ? "fell" : "rose",
                        lab_format_share(fabs(drift), size), lab_format_share(fmin(fabs(low), fabs(high)), least),
                        lab_format_share(fmax(fabs(low), fabs(high)), most));
}

/* --- noisy -------------------------------------------------------------------------------------------------------- */

static bool is_noisy(const json_t *measurement)
{
    return lab_number_of(measurement, "noise") > noise_max &&
           json_is_number(json_object_get(measurement, "stdev")); /* a fit has noise, and no samples */
}

static bool has_modes(const json_t *measurement)
{
    return json_is_array(json_object_get(shape_of(measurement), "modes"));
}

static json_t *bimodal(const json_t *measurement)
{
    const json_t *modes = json_object_get(shape_of(measurement), "modes");
    const json_t *shares = json_object_get(shape_of(measurement), "mode_shares");
    const char *unit = lab_text_of(measurement, "unit");
    char values[2][LAB_FORMAT_SIZE];
    if (!is_noisy(measurement) || !has_modes(measurement))
        return NULL;
    for (size_t i = 0; i < 2; i++)
        lab_format_quantity(json_number_value(json_array_get(modes, i)), unit, values[i]);
    return json_sprintf("The samples have two levels: %.0f %% of them are near %s, %.0f %% near %s.",
                        100 * json_number_value(json_array_get(shares, 0)), values[0],
                        100 * json_number_value(json_array_get(shares, 1)), values[1]);
}

static json_t *noisy(const json_t *measurement)
{
    char width[LAB_FORMAT_SIZE];
    if (!is_noisy(measurement) || has_modes(measurement))
        return NULL;
    return json_sprintf("The samples vary: their quartiles are %s of the median apart.",
                        lab_format_share(lab_number_of(measurement, "noise"), width));
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

/* Returns the sentence of a caution; NULL: it does not apply. */
typedef json_t *caution_text(const json_t *measurement);

const char *const lab_caution_names[] = {"throttled", "drifting", "bimodal", "noisy", NULL};
static caution_text *const texts[] = {throttled, drifting, bimodal, noisy};

json_t *lab_cautions_of(const json_t *measurement)
{
    json_t *list = json_array();
    if (json_is_string(json_object_get(measurement, "skipped")))
        return list;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *text = texts[i](measurement);
        if (text != NULL)
            json_array_append_new(list, json_pack("{s:s, s:o}", "name", lab_caution_names[i], "text", text));
    }
    return list;
}
