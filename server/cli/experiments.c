/* gpulab experiments [NAME]: what can be run. */
#include "documents.h"
#include "explain.h"
#include "look.h"
#include "table.h"

#include <stdio.h>

static const char usage[] =
    "Usage: gpulab experiments [NAME] [OPTIONS]\n\n"
    "Lists the experiments, or explains one: what it shows, its parameters, axes and metrics.\n";

static void print_list(const json_t *document)
{
    struct lab_table *table = lab_table_create();
    size_t index;
    json_t *each;
    lab_table_column(table, "name", false);
    lab_table_column(table, "what it shows", false);
    json_array_foreach(json_object_get(document, "experiments"), index, each)
    {
        lab_table_cell(table, "%s", lab_text_of(each, "name"));
        lab_table_cell(table, "%s", lab_text_of(each, "summary"));
    }
    lab_table_print(table, stdout);
    lab_table_free(table);
}

static enum lab_exit_code print_one(const json_t *document, const char *name, bool json)
{
    const json_t *experiment = lab_find_experiment(document, name);
    if (experiment == NULL) {
        fprintf(stderr, "gpulab: there is no experiment '%s'; 'gpulab experiments' lists them.\n", name);
        return LAB_EXIT_USAGE;
    }
    if (json)
        lab_print_json(experiment);
    else
        lab_explain_experiment(stdout, experiment);
    return LAB_EXIT_OK;
}

static enum lab_exit_code print_document(const struct lab_look *look, const json_t *document)
{
    if (look->arguments.words.count > 0)
        return print_one(document, look->arguments.words.items[0], look->json);
    if (look->json)
        lab_print_json(document);
    else
        print_list(document);
    return LAB_EXIT_OK;
}

int lab_command_experiments(int argc, char **argv)
{
    struct lab_look look = {0};
    struct lab_error error = {0};
    enum lab_exit_code end = lab_look_parse(&look, argc, argv, usage);
    if (end != LAB_EXIT_OK || look.arguments.help)
        return end;
    const struct lab_session_wish wish = {.config = &look.config};
    struct lab_session *session = lab_session_open(&wish, &end, &error);
    json_t *document = session != NULL ? session->kind->experiments(session, &error) : NULL;
    if (document != NULL) {
        end = print_document(&look, document);
    } else {
        lab_print_error(&error);
        end = LAB_EXIT_ERROR;
    }
    json_decref(document);
    lab_session_close(session);
    lab_config_release(&look.config);
    return end;
}
