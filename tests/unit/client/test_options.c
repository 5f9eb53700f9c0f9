/* server/cli/options.c, server/cli/config.c and server/service/serving.c: flags, environment variables, bounds, and the
 * paths that follow.
 */
#include "cli/config.h"
#include "service/serving.h"
#include "support/test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    struct lab_config config;
    struct lab_serving serving;
};

/* Reads a command line of `gpulab serve`, of at most eight words, into `values`. */
static bool parse(struct values *values, struct lab_arguments *arguments, struct lab_errors *errors, const char *line)
{
    static char words[256];
    char name[] = "serve", *argv[10] = {name}, *rest = words;
    int argc = 1;
    const struct lab_option_group groups[] = {{"Serving", lab_serving_options, &values->serving},
                                              {"Database", lab_database_options, &values->config},
                                              {"Worker", lab_worker_options_table, &values->config},
                                              {0}};
    snprintf(words, sizeof words, "%s", line);
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (word[0] != '\0')
            argv[argc++] = word;
    *values = (struct values){0};
    *arguments = (struct lab_arguments){0};
    *errors = (struct lab_errors){0};
    return lab_options_parse(groups, argc, argv, arguments, errors);
}

TEST(defaults_are_used_without_flag_and_variable)
{
    struct values values;
    struct lab_arguments arguments;
    struct lab_errors errors;
    assert_true(parse(&values, &arguments, &errors, ""));
    assert_string_equal(values.serving.listen, "127.0.0.1:8080");
    assert_string_equal(values.config.runtime, "auto");
    assert_int_equal(values.config.host_devices, 1);
    assert_true(values.serving.worker_idle_s == 60);
    assert_false(values.serving.insecure);
    assert_null(values.config.db);
}

TEST(flags_override_the_environment_and_variables_override_defaults)
{
    struct values values;
    struct lab_arguments arguments;
    struct lab_errors errors;
    setenv("GPULAB_WORKER_IDLE", "5", 1);
    setenv("GPULAB_RUNTIME", "host", 1);
    setenv("GPULAB_INSECURE", "true", 1);
    setenv("GPULAB_ALLOW_HOST", "a.example,b.example", 1);
    bool understood = parse(&values, &arguments, &errors, "--runtime cuda --allow-host=c.example --db -x");
    unsetenv("GPULAB_WORKER_IDLE");
    unsetenv("GPULAB_RUNTIME");
    unsetenv("GPULAB_INSECURE");
    assert_true(understood);
    assert_true(values.serving.worker_idle_s == 5);
    assert_string_equal(values.config.runtime, "cuda");
    assert_true(values.serving.insecure);
    assert_string_equal(values.config.db, "-x");
    assert_int_equal(values.serving.allow_hosts.count, 3);
    assert_string_equal(values.serving.allow_hosts.items[1], "b.example");
    assert_null(values.serving.allow_hosts.items[3]);
    unsetenv("GPULAB_ALLOW_HOST");
}

TEST(every_error_is_reported)
{
    static const char *const names[] = {"--runtime", "--host-devices", "--worker-idle",
                                        "--colour",  "--insecure",     "--db"};
    struct values values;
    struct lab_arguments arguments;
    struct lab_errors errors;
    assert_false(parse(&values, &arguments, &errors,
                       "--runtime abacus --host-devices=1.5 --worker-idle nan --colour --insecure=maybe --db"));
    assert_int_equal(errors.count, sizeof names / sizeof *names);
    for (size_t i = 0; i < errors.count; i++)
        assert_string_equal(errors.items[i].pointer, names[i]);
}

TEST(an_option_of_one_value_is_given_once)
{
    static const struct {
        const char *line, *option; /* the option that is given twice; NULL: none */
    } examples[] = {
        {"--runtime host --runtime cuda", "--runtime"},
        {"--db=a --db=a", "--db"},
        {"--worker-idle 1 --worker-idle=2", "--worker-idle"},
        {"--insecure --insecure=false", "--insecure"},
        {"--allow-host a --allow-host b", NULL},
        {"--runtime host -- --runtime cuda", NULL},
    };
    struct values values;
    struct lab_arguments arguments;
    struct lab_errors errors;
    setenv("GPULAB_RUNTIME", "host", 1);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        bool good = parse(&values, &arguments, &errors, examples[i].line);
        if (good != (examples[i].option == NULL))
            fail_msg("%s", examples[i].line);
        if (good)
            continue;
        assert_int_equal(errors.count, 1);
        assert_string_equal(errors.items[0].pointer, examples[i].option);
        assert_string_equal(errors.items[0].detail, "is given twice.");
    }
    unsetenv("GPULAB_RUNTIME");
}

TEST(messages_have_exact_bounds)
{
    static const struct {
        const char *line, *detail;
    } examples[] = {
        {"--rate-limit 2000000", "must be an integer from 0 to 1000000, not '2000000'."},
        {"--rate-limit 99999999999999999999", "must be an integer from 0 to 1000000, not '99999999999999999999'."},
        {"--rate-limit 1.5", "must be an integer from 0 to 1000000, not '1.5'."},
        {"--rate-limit 1K", "must be an integer from 0 to 1000000, not '1K'."},
        {"--rate-limit inf", "must be an integer from 0 to 1000000, not 'inf'."},
    };
    struct values values;
    struct lab_arguments arguments;
    struct lab_errors errors;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        assert_false(parse(&values, &arguments, &errors, examples[i].line));
        assert_string_equal(errors.items[0].detail, examples[i].detail);
    }
    assert_true(parse(&values, &arguments, &errors, "--rate-limit 1e6"));
    assert_true(parse(&values, &arguments, &errors, "--worker-idle +.5"));
    assert_true(values.serving.worker_idle_s == 0.5);
}

TEST(words_and_help_are_separated_from_options)
{
    struct values values;
    struct lab_arguments arguments;
    struct lab_errors errors;
    assert_true(parse(&values, &arguments, &errors, "one --insecure - -- --db"));
    assert_int_equal(arguments.words.count, 3);
    assert_string_equal(arguments.words.items[1], "-");
    assert_string_equal(arguments.words.items[2], "--db");
    assert_false(arguments.help);
    parse(&values, &arguments, &errors, "one -h");
    assert_true(arguments.help);
}

TEST(the_database_is_in_the_state_folder)
{
    struct lab_config config = {0};
    struct lab_errors errors = {0};
    setenv("STATE_DIRECTORY", "/var/lib/gpulab:/var/lib/other", 1);
    setenv("XDG_STATE_HOME", "/state", 1);
    setenv("HOME", "/home/x", 1);
    assert_true(lab_config_complete(&config, &errors));
    assert_string_equal(config.db_path, "/var/lib/gpulab/gpulab.db");
    unsetenv("STATE_DIRECTORY");
    assert_true(lab_config_complete(&config, &errors));
    assert_string_equal(config.db_path, "/state/gpulab/gpulab.db");
    unsetenv("XDG_STATE_HOME");
    assert_true(lab_config_complete(&config, &errors));
    assert_string_equal(config.db_path, "/home/x/.local/state/gpulab/gpulab.db");
    unsetenv("HOME");
    assert_false(lab_config_complete(&config, &errors));
    config.db = "here.db";
    assert_true(lab_config_complete(&config, &errors));
    assert_string_equal(config.db_path, "here.db");
}

TEST(a_socket_is_beside_the_file_that_a_link_leads_to)
{
    char folder[] = "/tmp/gpulab-options-XXXXXX", file[64], link[64], wanted[80];
    struct lab_config config = {.db = link, .socket_folder = -1};
    struct lab_errors errors = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/lab.db", folder);
    snprintf(link, sizeof link, "%s/link.db", folder);
    snprintf(wanted, sizeof wanted, "%s.sock", file);
    assert_int_equal(symlink("lab.db", link), 0);
    FILE *database = fopen(file, "w");
    assert_non_null(database);
    fclose(database);
    assert_true(lab_config_complete(&config, &errors));
    assert_true(lab_config_socket(&config));
    assert_string_equal(config.socket_path, wanted);
    lab_config_release(&config);
    unlink(link);
    unlink(file);
    rmdir(folder);
}

TEST(a_socket_can_be_bound_beside_a_database_with_a_long_path)
{
    char folder[] = "/tmp/gpulab-options-XXXXXX", deep[PATH_MAX], path[PATH_MAX], socket_file[PATH_MAX];
    struct lab_config config = {.socket_folder = -1};
    assert_non_null(mkdtemp(folder));
    snprintf(deep, sizeof deep, "%s/%0100d", folder, 0);
    assert_int_equal(mkdir(deep, 0700), 0);
    snprintf(path, sizeof path, "%.200s/lab.db", deep);
    snprintf(config.db_path, sizeof config.db_path, "%s", path);
    assert_true(lab_config_socket(&config));

    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, config.socket_path, sizeof address.sun_path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(descriptor, (const struct sockaddr *)&address, sizeof address), 0);
    snprintf(socket_file, sizeof socket_file, "%.300s.sock", path);
    assert_int_equal(access(socket_file, F_OK), 0);

    close(descriptor);
    lab_config_release(&config);
    unlink(socket_file);
    rmdir(deep);
    rmdir(folder);
}

TEST(a_newline_in_a_help_begins_a_line)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    lab_print_wrapped(out, "One.\nTwo words\nThree", 2, 9);
    fclose(out);
    assert_string_equal(text, "One.\n  Two\n  words\n  Three\n");
    free(text);
}
