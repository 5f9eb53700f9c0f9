/* gpulab-pages-check FOLDER…: checks NAME.json of the experiments against their descriptors, the lessons of the
 * programs, and the guide. Prints every error as "FILE:LINE: MEMBER: what is wrong, what is allowed", and exits with 1
 * if there is one.
 */
#include "pages/check.h"
#include "pages/data.h"

#include <stdlib.h>
#include <string.h>

/* The experiment of a folder: "bank-conflicts" is in bank_conflicts. */
static const struct lab_experiment *experiment_of(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    char name[64];
    snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : folder);
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '_' ? '-' : *c;
    return lab_experiment_find(name);
}

static bool check_folder(const char *folder)
{
    const struct lab_experiment *experiment = experiment_of(folder);
    struct lab_errors errors = {0};
    struct lab_data data = {0};
    bool read = lab_data_read(&data, folder, stderr);
    if (read && experiment == NULL) {
        lab_errors_add(&errors, LAB_ERROR_NOT_FOUND, "",
                       "its experiment is not listed in kernels/experiments/registry.c");
    } else if (read) {
        lab_data_check(data.document, experiment, &errors);
    }
    lab_data_print(&data, &errors, stderr);
    lab_data_release(&data);
    return read && errors.count == 0;
}

int main(int count, char **folders)
{
    bool good = count > 1;
    if (!good)
        fputs("usage: gpulab-pages-check FOLDER...\n", stderr);
    for (int i = 1; i < count; i++)
        good = check_folder(folders[i]) && good;
    good = lab_lessons_check(lab_sample_programs, stderr) && good;
    good = lab_guide_check(lab_guide_pages, lab_terms, stderr) && good;
    good = lab_cards_check(lab_published_cards, stderr) && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
