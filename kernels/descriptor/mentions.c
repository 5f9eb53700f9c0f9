/* Whether an experiment mentions the words that someone searches for. */
#include "descriptor/experiment.h"

#include "descriptor/points.h"

#include <string.h>
#include <strings.h>

/* A word that is searched for: the first `length` characters of `text`. */
struct word {
    const char *text;
    size_t length;
};

static bool has(const char *text, struct word word)
{
    for (; text != NULL && *text != '\0'; text++)
        if (strncasecmp(text, word.text, word.length) == 0)
            return true;
    return false;
}

static bool any_has(struct lab_choices choices, struct word word)
{
    for (size_t i = 0; choices.texts != NULL && lab_choice_text(choices, i) != NULL; i++)
        if (has(lab_choice_text(choices, i), word))
            return true;
    return false;
}

static bool parameters_have(const struct lab_schema *p, struct word word)
{
    for (; p->name != NULL; p++)
        if (has(p->name, word) || has(p->title, word) || has(p->text, word) || any_has(lab_schema_choices(p), word))
            return true;
    return false;
}

static bool results_have(const struct lab_experiment *experiment, struct word word)
{
    for (const struct lab_axis *a = experiment->axes; a->name != NULL; a++)
        if (has(a->name, word) || has(lab_axis_title(experiment, a), word) ||
            any_has((struct lab_choices){.texts = a->choices}, word))
            return true;
    for (const struct lab_metric *m = experiment->metrics; m->name != NULL; m++)
        if (has(m->name, word) || has(m->title, word))
            return true;
    for (const struct lab_view *v = experiment->views; v->name != NULL; v++)
        if (has(v->title, word))
            return true;
    for (const struct lab_headline *h = experiment->headlines; h->title != NULL; h++)
        if (has(h->title, word))
            return true;
    for (const struct lab_source *s = experiment->sources; s != NULL && s->step != NULL; s++)
        if (has(s->step, word) || has(s->title, word))
            return true;
    return false;
}

static bool references_have(const struct lab_reference *r, struct word word)
{
    for (; r != NULL && r->system != NULL; r++)
        if (has(r->system, word) || has(r->source, word) || has(r->remark, word))
            return true;
    return false;
}

static bool mentions(const struct lab_experiment *experiment, struct word word)
{
    return has(experiment->name, word) || has(experiment->title, word) || has(experiment->summary, word) ||
           has(experiment->explanation, word) || parameters_have(experiment->parameters, word) ||
           results_have(experiment, word) || references_have(experiment->references, word);
}

bool lab_experiment_mentions(const struct lab_experiment *experiment, const char *text)
{
    static const char spaces[] = " \t\n\r";
    size_t words = 0;
    for (text += strspn(text, spaces); *text != '\0'; text += strspn(text, spaces), words++) {
        struct word word = {text, strcspn(text, spaces)};
        if (!mentions(experiment, word))
            return false;
        text += word.length;
    }
    return words > 0;
}
