/* kernels/core/suggestion.c: which name is near, and what is near to none. */
#include "core/suggestion.h"
#include "support/test.h"

#include <string.h>

static const char *const names[] = {"transfer", "transpose", "runs", "run", "--worker-idle", "--db", "fp32", NULL};

static const char *suggested(const char *given)
{
    struct lab_suggestion suggestion = {.given = given, .length = strlen(given)};
    for (size_t i = 0; names[i] != NULL; i++)
        lab_suggestion_consider(&suggestion, names[i]);
    return suggestion.name != NULL ? suggestion.name : "none";
}

TEST(the_nearest_name_is_suggested)
{
    static const struct {
        const char *given, *name;
    } cases[] = {
        {"tranfser", "transfer"},   /* neighbours exchanged */
        {"transfr", "transfer"},    /* one left out */
        {"transsfer", "transfer"},  /* one added */
        {"transpase", "transpose"}, /* one replaced */
        {"transfose", "transpose"}, /* near to both */
        {"runz", "runs"},           /* the first of two that are equally near */
        {"rum", "run"},             /* a short text */
        {"--bd", "--db"},
        {"--worker_idle", "--worker-idle"},
        {"FP32", "fp32"},
        {"T", "none"},
        {"ru", "none"},
        {"", "none"},
        {"fp64", "none"},
        {"translation", "none"},
        {"--worker-idle=5", "--worker-idle"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(suggested(cases[i].given), cases[i].name) != 0)
            fail_msg("'%s' suggested %s, not %s", cases[i].given, suggested(cases[i].given), cases[i].name);
}

TEST(only_the_given_bytes_count)
{
    struct lab_suggestion suggestion = {.given = "--dc=transfer", .length = strlen("--dc")};
    lab_suggestion_consider(&suggestion, "--db");
    assert_string_equal(suggestion.name, "--db");
}

TEST(long_texts_are_near_nothing)
{
    char longest[LAB_SUGGESTION_NAME_MAX + 1], longer[LAB_SUGGESTION_NAME_MAX + 2], text[LAB_SUGGESTION_SIZE];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    memset(longer, 'a', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    struct lab_suggestion of_longest = {.given = longest, .length = strlen(longest)};
    lab_suggestion_consider(&of_longest, longer);
    assert_null(of_longest.name);
    lab_suggestion_consider(&of_longest, longest);
    lab_suggestion_text(&of_longest, text);
    assert_int_equal(strlen(text), strlen(" Did you mean ''?") + strlen(longest));
    struct lab_suggestion of_longer = {.given = longer, .length = strlen(longer)};
    lab_suggestion_consider(&of_longer, longer);
    assert_null(of_longer.name);
    assert_string_equal(lab_suggestion_text(&of_longer, text), "");
}
