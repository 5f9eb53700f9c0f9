/* server/service/service.c: stopping a lab whose worker and disk hang. */
#include "support/jobs_harness.h"
#include "support/test.h"

#include "service/service.h"
#include "support/store_disk.h"

#include "core/clock.h"

/* Starts a lab with a run whose worker ignores requests and SIGTERM, then makes each sync of the disk slow and stops
 * the lab: that ends the process, or returns. Prints "stopping" before and "stopped" after. */
static int serve_and_stop(int argc, char **argv)
{
    struct lab_config config = {.runtime = "host", .host_devices = 1, .socket_folder = -1};
    const struct lab_serving serving = {0};
    struct lab_service service = {0};
    struct lab_live_state live = {0};
    struct lab_error error = {0};
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    disk_install(NULL);
    snprintf(config.worker_path, sizeof config.worker_path, "%s", fake_worker_path);
    snprintf(config.db_path, sizeof config.db_path, "%s/lab.db", argv[argc - 1]);
    if (lab_service_start(&service, &config, &serving, &error) != LAB_EXIT_OK ||
        !lab_service_listen(&service, &config, &serving, &error))
        return fprintf(stderr, "%s\n", error.detail);
    json_t *request = json_pack("{s:s, s:{s:s}}", "experiment", "probe", "parameters", "behaviour", "ignore");
    for (int i = 0; i < 6000 && lab_jobs_submit(service.jobs, request, &(struct lab_submit_options){0}, id, &errors) !=
                                    LAB_SUBMIT_OK;
         i++)
        usleep(10000);
    json_decref(request);
    for (int i = 0; i < 6000 && !live.has_progress; i++) {
        usleep(10000);
        lab_jobs_live_state(service.jobs, id, &live);
    }
    atomic_store(&disk.sync_delay_ms, 990);
    fprintf(stderr, "stopping\n");
    if (!lab_service_stop(&service))
        _exit(LAB_EXIT_ERROR);
    fprintf(stderr, "stopped\n");
    return LAB_EXIT_OK;
}

TEST_ROLE("--serve", serve_and_stop)

/* Runs this program as `mode` with `folder`; returns its exit status and what it printed on stderr. */
static int run_self(const char *mode, const char *folder, char *printed, size_t size)
{
    int output[2], status = 0;
    assert_int_equal(pipe(output), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(output[1], 2);
        close(output[0]);
        close(output[1]);
        execl("/proc/self/exe", "test_service", mode, folder, (char *)NULL);
        _exit(127);
    }
    close(output[1]);
    size_t length = 0;
    for (ssize_t got; length + 1 < size && (got = read(output[0], printed + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    printed[length] = '\0';
    close(output[0]);
    waitpid(child, &status, 0);
    return status;
}

static void remove_files(const char *folder)
{
    static const char *const names[] = {"lab.db",      "lab.db-wal",     "lab.db-shm",
                                        "lab.db.lock", "lab.db.reserve", "lab.db.sock"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

TEST(a_lab_whose_worker_and_disk_hang_ends_and_names_what_hangs)
{
    char folder[] = "/tmp/gpulab-service-XXXXXX", printed[4096], message[256];
    assert_non_null(mkdtemp(folder));
    int status = run_self("--serve", folder, printed, sizeof printed);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != LAB_EXIT_ERROR || strstr(printed, "did not end in time") == NULL)
        fail_msg("status %d: %s", status, printed);
    assert_null(strstr(printed, "stopped"));

    char path[128];
    snprintf(path, sizeof path, "%s/lab.db", folder);
    struct lab_store *store = lab_store_open(path, message, sizeof message); /* nothing keeps the database open */
    if (store == NULL)
        fail_msg("%s", message);
    lab_store_close(store);
    remove_files(folder);
}
