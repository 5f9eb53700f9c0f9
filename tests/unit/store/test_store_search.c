/* db/runs/search_text.c and run_index.c: named cases, and a random history compared with a search that scans every
 * run. */
#include "store_internal.h"
#include "support/store_harness.h"
#include "support/test.h"

#include <ctype.h>

/* --- cases -------------------------------------------------------------------------------------------------------- */

static void count_run(void *context, const struct lab_run_row *run)
{
    (void)run;
    ++*(size_t *)context;
}

static size_t found(struct lab_store *store, const char *text)
{
    bool more = false;
    size_t count = 0;
    const struct lab_run_filter filter = {.since = LAB_NO_TIME, .until = LAB_NO_TIME, .text = text, .limit = 500};
    if (lab_store_list_runs(store, &filter, count_run, &count, &more) != LAB_STORE_OK)
        fail_msg("%s: %s", text, lab_store_message(store));
    return count;
}

static void add_noted(struct lab_store *store, const char *note, char id[LAB_RUN_ID_SIZE])
{
    lab_run_id(id);
    struct lab_run_row run = plain_run(id);
    run.note = note;
    run.devices = "[" DEVICE("GPU-1", "\"Graphikkarte 9000\"") "]";
    run.tags = "[\"driver-580\",\"Nachtlauf\"]";
    add_run(store, &run);
}

STORE_TEST(finds_parts_of_note_tags_and_experiment)
{
    static const struct {
        const char *text;
        bool found;
    } cases[] = {
        {"transfer", true},
        {"ansf", true},
        {"ANSF", true},
        {"driver-580", true},
        {"r-58", true},
        {"nachtlauf", true},
        {"karte 90", true},
        {"GPU-1", false},
        {"htl", true},
        {"the cap", true},
        {"e cap, 7", true},
        {"cap the", false},
        {"100 %", true},
        {"0 %", true},
        {"\"quoted\"", true},
        {"\"quo", true},
        {"*", true},
        {"cap*", false},
        {"cap OR xyz", false},
        {"xyz", false},
        {"transferred", false},
        /* a match does not cross experiment, tags and note */
        {"transferdriver", false},
        {"580nacht", false},
        /* one and two characters: the beginning of a word, or a character that is not part of one */
        {"t", true},
        {"T", true},
        {"tr", true},
        {"TR", true},
        {"ra", false},
        {"58", true},
        {"5", true},
        {"80", false},
        {"8", false},
        {"dr", true},
        {"-", true},
        {"%", true},
        {"-5", true},
        {"7", true},
        {"70", true},
        {"zz", false},
        {"z", false},
        {"e ", false},
        {" c", true},
        {"\"", true},
        /* letters beyond ASCII, in either case */
        {"СКОРОСТЬ", true},
        {"скорость", true},
        {"корос", true},
        {"ск", true},
        {"с", true},
        {"ко", false},
        {"ŽLTÝ", true},
        {"žl", true},
        {"带宽测试", true},
        {"宽测", true},
        {"带", true},
        {"试", true},
        {"测宽", false},
        {"🚀", true},
        {"b🚀", false},
        {"🚀c", true},
    };
    char id[LAB_RUN_ID_SIZE];
    add_noted(fixture->store, "the cap, 70 W and 100 % \"quoted\" * Скорость žltý 带宽测试 ab🚀cd", id);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (found(fixture->store, cases[i].text) != cases[i].found)
            fail_msg("\"%s\" should %s", cases[i].text, cases[i].found ? "be found" : "not be found");
}

STORE_TEST(finds_the_beginning_of_an_id)
{
    static const char *const ids[] = {"0190c0de-aaaa-7000-8000-000000000001", "0190c0de-aaab-7000-8000-000000000002",
                                      "0190c0df-aaaa-7000-8000-000000000003"};
    for (size_t i = 0; i < 3; i++) {
        struct lab_run_row run = plain_run(ids[i]);
        run.note = i == 2 ? "as 0190c0de-aaaa-7000-8000-000000000001, again" : "";
        add_run(fixture->store, &run);
    }
    assert_int_equal(found(fixture->store, "0190c0df"), 1);
    assert_int_equal(found(fixture->store, "0190C0DE-AAAB"), 1);
    assert_int_equal(found(fixture->store, "0190c0de-aaab-7000-8000-000000000002"), 1);
    assert_int_equal(found(fixture->store, "0190c0de"), 3); /* two by id, one by note */
    assert_int_equal(found(fixture->store, "0190c0de-aaaa-7000-8000-000000000001"), 2);
    assert_int_equal(found(fixture->store, "0190c0"), 1); /* too short for an id: matches the note only */
    assert_int_equal(found(fixture->store, "aaab-7000"), 0);
    assert_int_equal(found(fixture->store, "0190c0de-aaaa-7000-8000-0000000000019"), 0);

    /* The text together with another filter, and with a cursor. */
    size_t count = 0;
    bool more = false;
    struct lab_run_filter filter = {.since = LAB_NO_TIME,
                                    .until = LAB_NO_TIME,
                                    .text = "0190c0de",
                                    .experiment = "transfer",
                                    .before = ids[2],
                                    .limit = 1};
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, count_run, &count, &more), LAB_STORE_OK);
    assert_int_equal(count, 1);
    assert_true(more);
    filter.before = ids[1];
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, count_run, &count, &more), LAB_STORE_OK);
    assert_int_equal(count, 2);
    assert_false(more);
}

STORE_TEST(long_notes_are_found_by_their_beginning)
{
    char id[LAB_RUN_ID_SIZE], note[3 * 4096];
    memset(note, 'x', sizeof note);
    memcpy(note + 100, "early", 5);
    memcpy(note + 3 * 4096 - 200, "late", 4);
    for (size_t at = 2000; at < 8000; at += 2) /* the limit falls inside a character */
        memcpy(note + at, "é", 2);
    note[sizeof note - 1] = '\0';
    add_noted(fixture->store, note, id);
    assert_int_equal(found(fixture->store, "early"), 1);
    assert_int_equal(found(fixture->store, "ééééé"), 1);
    assert_int_equal(found(fixture->store, "late"), 0);
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_CANCELLED, 1, false, NULL, NULL),
                     LAB_STORE_OK);
    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_OK);
    assert_int_equal(found(fixture->store, "early"), 0);
    close_store(fixture);
    assert_search_sound(fixture->path);
}

STORE_TEST(invalid_utf8_does_no_damage)
{
    static const char *const notes[] = {"\xc3", "\xff\xfe", "a\x80z", "\xf0\x9f", "\1\1\1", "\xe5\xb8", "é\xc3"};
    char id[LAB_RUN_ID_SIZE];
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        add_noted(fixture->store, notes[i], id);
        found(fixture->store, notes[i]);
        assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_CANCELLED, 1, false, NULL, NULL),
                         LAB_STORE_OK);
        assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_OK);
    }
    assert_int_equal(found(fixture->store, "transfer"), 0);
    close_store(fixture);
    assert_search_sound(fixture->path);
}

STORE_TEST(patched_text_is_found)
{
    char id[LAB_RUN_ID_SIZE];
    add_noted(fixture->store, "before", id);
    assert_int_equal(lab_store_patch_run(fixture->store, id, &(struct lab_run_patch){.note = "after"}, NULL),
                     LAB_STORE_OK);
    assert_int_equal(found(fixture->store, "before"), 0);
    assert_int_equal(found(fixture->store, "after"), 1);
    assert_int_equal(found(fixture->store, "driver-580"), 1);
    const struct lab_run_patch patch = {.tags = "[\"changed\"]"};
    assert_int_equal(lab_store_patch_run(fixture->store, id, &patch, NULL), LAB_STORE_OK);
    assert_int_equal(found(fixture->store, "driver-580"), 0);
    assert_int_equal(found(fixture->store, "changed"), 1);
    assert_int_equal(found(fixture->store, "after"), 1);
}

/* --- a random history --------------------------------------------------------------------------------------------- */

enum { RUNS = 150, STEPS = 700, QUERIES = 1500, TAGS = 4 };

static const char *const
    experiments[] = {"transfer", "overlap", "matmul"},
    *const devices[] = {"GPU-a", "GPU-b", "GPU-c"}, *const tags[TAGS] = {"nightly", "manual", "rack-7", "580"},
    *const notes[] = {"", "after reboot", "new driver 580.12", "Rack moved; fan 100%", "overlap? no"},
    *const texts[] = {"after", "re", "r",   "580",        "rack",  "ack",     "no",          "overlap", "transfer",
                      "100%",  "%",  "; f", "moved; fan", "zebra", "nightly", "night moved", "ma"};
#define PICK(table) (random_below(sizeof(table) / sizeof *(table)))

/* A run in the model. */
struct model {
    bool there;
    char id[LAB_RUN_ID_SIZE];
    size_t experiment, device, other_device, note;
    unsigned tags; /* a bit each */
    enum lab_status status;
    int64_t created_at;
};

static uint64_t random_state = 0x9e3779b97f4a7c15;

static size_t random_below(size_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)((random_state >> 11) % bound);
}

/* Writes a set of tags as JSON. */
static const char *tag_list(unsigned set, char *list, size_t size)
{
    size_t length = (size_t)snprintf(list, size, "[");
    for (size_t i = 0; i < TAGS; i++)
        if (set >> i & 1)
            length += (size_t)snprintf(list + length, size - length, "%s\"%s\"", length > 1 ? "," : "", tags[i]);
    snprintf(list + length, size - length, "]");
    return list;
}

static size_t tag_names(unsigned set, const char *names[TAGS])
{
    size_t count = 0;
    for (size_t i = 0; i < TAGS; i++)
        if (set >> i & 1)
            names[count++] = tags[i];
    return count;
}

static void add_model(struct lab_store *store, struct model *model, int64_t at)
{
    lab_run_id(model->id);
    model->there = true;
    model->experiment = PICK(experiments);
    model->device = PICK(devices);
    model->other_device = PICK(devices);
    model->note = PICK(notes);
    model->tags = (unsigned)random_below(1 << TAGS);
    model->status = LAB_STATUS_QUEUED;
    model->created_at = at;
    char device_list[128], list[128];
    snprintf(device_list, sizeof device_list, "[{\"id\":\"%s\"},{\"id\":\"%s\"}]", devices[model->device],
             devices[model->other_device]); /* possibly the same one twice */
    struct lab_run_row run = plain_run(model->id);
    run.experiment = experiments[model->experiment];
    run.devices = device_list;
    run.note = notes[model->note];
    run.tags = tag_list(model->tags, list, sizeof list);
    run.created_at = at;
    add_run(store, &run);
}

/* One random change of one run, in store and model. */
static void change_model(struct lab_store *store, struct model *model, int64_t at)
{
    char list[128];
    if (!model->there) {
        add_model(store, model, at);
        return;
    }
    switch (random_below(4)) {
    case 0:
        model->note = PICK(notes);
        assert_int_equal(
            lab_store_patch_run(store, model->id, &(struct lab_run_patch){.note = notes[model->note]}, NULL),
            LAB_STORE_OK);
        break;
    case 1:
        model->tags = (unsigned)random_below(1 << TAGS);
        assert_int_equal(lab_store_patch_run(store, model->id,
                                             &(struct lab_run_patch){.tags = tag_list(model->tags, list, sizeof list)},
                                             NULL),
                         LAB_STORE_OK);
        break;
    default:
        if (model->status == LAB_STATUS_QUEUED) {
            model->status = LAB_STATUS_RUNNING;
            assert_int_equal(lab_store_start_run(store, model->id, at, NULL), LAB_STORE_OK);
        } else if (model->status == LAB_STATUS_RUNNING) {
            model->status = (enum lab_status)(LAB_STATUS_SUCCEEDED + random_below(4));
            assert_int_equal(lab_store_finish_run(store, model->id, model->status, at, false, NULL, NULL),
                             LAB_STORE_OK);
        } else {
            model->there = false;
            assert_int_equal(lab_store_delete_run(store, model->id), LAB_STORE_OK);
        }
    }
}

/* Returns whether `whole` contains `part`: anywhere, or at the beginning of a word when it has one or two characters.
 * ASCII. */
static bool contains(const char *whole, const char *part)
{
    size_t length = strlen(part);
    for (const char *at = whole; *at != '\0'; at++) {
        bool begins = at == whole || !isalnum((unsigned char)at[-1]) || !isalnum((unsigned char)*at);
        if (strncasecmp(at, part, length) == 0 && (length > 2 || begins))
            return true;
    }
    return false;
}

static bool meets(const struct model *model, const struct lab_run_filter *filter)
{
    const char *names[TAGS];
    size_t count = tag_names(model->tags, names);
    bool tagged = filter->tag == NULL, texted = filter->text == NULL;
    for (size_t i = 0; i < count; i++) {
        tagged = tagged || strcmp(names[i], filter->tag) == 0;
        texted = texted || contains(names[i], filter->text);
    }
    texted =
        texted || contains(experiments[model->experiment], filter->text) || contains(notes[model->note], filter->text);
    bool on_device = filter->device == NULL || strcmp(devices[model->device], filter->device) == 0 ||
                     strcmp(devices[model->other_device], filter->device) == 0;
    return model->there && tagged && texted && on_device &&
           (filter->experiment == NULL || strcmp(experiments[model->experiment], filter->experiment) == 0) &&
           (!filter->by_status || model->status == filter->status) &&
           (filter->since == LAB_NO_TIME || model->created_at >= filter->since) &&
           (filter->until == LAB_NO_TIME || model->created_at < filter->until);
}

static struct lab_run_filter random_filter(int64_t last)
{
    struct lab_run_filter filter = {.since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = 1 + random_below(40)};
    if (random_below(3) == 0)
        filter.experiment = experiments[PICK(experiments)];
    if (random_below(3) == 0)
        filter.device = devices[PICK(devices)];
    if (random_below(3) == 0)
        filter.tag = tags[PICK(tags)];
    if (random_below(3) == 0) {
        filter.by_status = true;
        filter.status = (enum lab_status)random_below(6);
    }
    if (random_below(4) == 0)
        filter.since = (int64_t)random_below((size_t)last);
    if (random_below(4) == 0)
        filter.until = (int64_t)random_below((size_t)last);
    if (random_below(2) == 0)
        filter.text = texts[PICK(texts)];
    filter.oldest_first = random_below(2) == 0;
    return filter;
}

struct walked {
    size_t count;
    char ids[RUNS][LAB_RUN_ID_SIZE];
};

static void keep_id(void *context, const struct lab_run_row *run)
{
    struct walked *walked = context;
    assert_true(walked->count < RUNS);
    strcpy(walked->ids[walked->count++], run->id);
}

/* Reads all pages of a filter, in one direction. */
static void walk(struct lab_store *store, struct lab_run_filter filter, struct walked *walked)
{
    walked->count = 0;
    for (bool more = true; more;) {
        assert_int_equal(lab_store_list_runs(store, &filter, keep_id, walked, &more), LAB_STORE_OK);
        assert_false(more && walked->count == 0);
        if (more)
            *(filter.oldest_first ? &filter.after : &filter.before) = walked->ids[walked->count - 1];
    }
}

static int compare_models(const void *left, const void *right)
{
    return strcmp(((const struct model *)left)->id, ((const struct model *)right)->id);
}

STORE_TEST(agrees_with_scanning_every_run)
{
    static struct model models[RUNS];
    static struct walked walked;
    for (int64_t step = 0; step < STEPS; step++)
        change_model(fixture->store, &models[random_below(RUNS)], step * 500);
    assert_in_step(fixture->path);
    qsort(models, RUNS, sizeof *models, compare_models);

    size_t met = 0;
    for (int query = 0; query < QUERIES; query++) {
        struct lab_run_filter filter = random_filter(STEPS * 500);
        walk(fixture->store, filter, &walked);
        size_t at = 0;
        for (size_t i = 0; i < RUNS; i++) {
            const struct model *model = &models[filter.oldest_first ? i : RUNS - 1 - i];
            if (!meets(model, &filter))
                continue;
            if (at >= walked.count || strcmp(walked.ids[at], model->id) != 0)
                fail_msg("query %d misses %s at %zu", query, model->id, at);
            at++;
        }
        assert_int_equal(walked.count, at);
        met += at;
    }
    assert_true(met > QUERIES); /* not all results were empty */
    close_store(fixture);
    assert_search_sound(fixture->path);
}
