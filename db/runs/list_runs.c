/* Reads a page of the runs that match a filter. The runs of the condition that matches the fewest are read in order,
 * and the other conditions are checked for each of them, until the page is full. A text and another condition that both
 * match many are read side by side, as numbers, and the runs that have both are looked at.
 */
#include "store_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- statements --------------------------------------------------------------------------------------------------- */

/* The values of all statements below. Those of conditions that are not given are NULL. */
enum value {
    EXPERIMENT = 1, /* ?1 */
    STATUS,
    DEVICE,
    TAG,
    SWEEP, /* its number */
    LOW,   /* ?6: runs in [LOW, HIGH) */
    HIGH,
    SINCE, /* ?8 */
    UNTIL,
    TEXT,     /* ?10: an FTS5 expression */
    ID_FIRST, /* ?11: runs with ids in [ID_FIRST, ID_END) match the text too */
    ID_END,
    QUERY, /* ?13: the text as it was given */
    PINNED,
    ID_TAIL, /* ?15: runs with ids that end with it match the text too */
    PERSON,  /* ?16 */
    VIEWER,
    CHALLENGE, /* ?18: its id */
    NOW,       /* ?19 */
    LIMIT,     /* ?20; -1: none */
    NUMBER,    /* ?21: of one run */
    VALUE_COUNT = NUMBER
};

/* The conditions that need no row of `run` name the number of the tables that are read, so that SQLite checks them
 * first. Each condition makes SQLite expect fewer runs, unless its likelihood is given; where it expects few, it sorts
 * all of them instead of reading them in order until the page is full. */
#define CONDITIONS(number)                                                                                             \
    " AND (?1 IS NULL OR run.experiment = ?1) AND (?2 IS NULL OR run.status = ?2) AND (?5 IS NULL OR run.sweep = ?5)"  \
    " AND likelihood(?18 IS NULL OR run.challenge = ?18, 1.0)"                                                         \
    " AND (?8 IS NULL OR run.created_at >= ?8) AND (?9 IS NULL OR run.created_at < ?9)"                                \
    " AND (?14 IS NULL OR run.pinned = ?14) AND likelihood(?16 IS NULL OR run.requested_by = ?16, 1.0)"                \
    " AND likelihood(?17 IS NULL OR coalesce(run.secret_until <= ?19, 1) OR run.requested_by IS ?17, 1.0)"             \
    " AND (?3 IS NULL OR EXISTS (SELECT 1 FROM run_device WHERE device = ?3 AND run_device.run = " number              \
    "))"                                                                                                               \
    " AND (?4 IS NULL OR EXISTS (SELECT 1 FROM run_tag WHERE tag = ?4 AND run_tag.run = " number "))"
/* A search for each run would take longer than a look at its text. */
#define TEXT_CONDITION                                                                                                 \
    " AND (?10 IS NULL OR (run.id >= ?11 AND run.id < ?12) OR substr(run.id, -length(?15)) = ?15"                      \
    " OR coalesce(has_text(" LAB_RUN_TEXT                                                                              \
    ", ?13),"                                                                                                          \
    " EXISTS (SELECT 1 FROM search WHERE search MATCH ?10 AND search.rowid = -run.number)))"

/* The runs of a condition: a table, its join with `run`, the column with the number, and the condition. */
#define BY_NOTHING(what) what("run", "", "run.number", "true")
#define BY_EXPERIMENT(what) what("run INDEXED BY run_experiment", "", "run.number", "run.experiment = ?1")
#define BY_STATUS(what)                                                                                                \
    what("run INDEXED BY run_status", "", "run.number", "run.status <> 'succeeded' AND run.status = ?2")
#define BY_PINNED(what) what("run INDEXED BY run_pinned", "", "run.number", "run.pinned = 1")
#define BY_DEVICE(what) what("run_device AS d", " CROSS JOIN run ON run.number = d.run", "d.run", "d.device = ?3")
#define BY_BOTH(what)                                                                                                  \
    what("run_device AS d INDEXED BY run_device_experiment", " CROSS JOIN run ON run.number = d.run", "d.run",         \
         "d.device = ?3 AND d.experiment = ?1")
#define BY_TAG(what) what("run_tag AS t", " CROSS JOIN run ON run.number = t.run", "t.run", "t.tag = ?4")
#define BY_PERSON(what) what("run INDEXED BY run_requested_by", "", "run.number", "run.requested_by = ?16")
#define BY_SWEEP(what) what("run INDEXED BY run_sweep", "", "run.number", "run.sweep = ?5")
#define BY_CHALLENGE(what) what("run INDEXED BY run_challenge", "", "run.number", "run.challenge = ?18")

#define PAGE(order, table, join, number, condition)                                                                    \
    "SELECT " LAB_RUN_COLUMNS " FROM " table join " WHERE " condition " AND " number " >= ?6 AND " number              \
    " < ?7" CONDITIONS(number) TEXT_CONDITION " ORDER BY " number " " order " LIMIT ?20"
#define NEWEST(...) PAGE("DESC", __VA_ARGS__)
#define OLDEST(...) PAGE("ASC", __VA_ARGS__)

/* The numbers of the runs of a condition, in order. */
#define NUMBERS(order, table, join, number, condition)                                                                 \
    "SELECT " number " AS number FROM " table " WHERE " condition " AND " number " >= ?6 AND " number                  \
    " < ?7 ORDER BY " number " " order " LIMIT ?20"
#define FALLING(...) NUMBERS("DESC", __VA_ARGS__)
#define RISING(...) NUMBERS("ASC", __VA_ARGS__)

/* How many of these numbers there are, and how far back they go. */
#define COUNT_OF(numbers) "SELECT count(*), min(number) FROM (" numbers ")"

#define WAY(BY) {BY(NEWEST), BY(OLDEST)}, {BY(FALLING), BY(RISING)}, COUNT_OF(BY(FALLING))

/* The runs that match a text. Rowids of `search` are the negated numbers, so their order is the reverse. The other
 * parts of the UNION add the runs whose ids begin or end with the text; the plus signs make SQLite use the indexes of
 * ids. */
#define ID_PART(condition, order)                                                                                      \
    " UNION SELECT number FROM (SELECT run.number AS number FROM run WHERE " condition                                 \
    " AND +run.number >= ?6"                                                                                           \
    " AND +run.number < ?7" CONDITIONS("run.number") " ORDER BY +run.number " order " LIMIT ?20)"
/* Checks the experiment of a hit by its index, because reading the run takes longer. */
#define EXPERIMENT_OF_HIT                                                                                              \
    " AND (?1 IS NULL OR EXISTS (SELECT 1 FROM run AS e INDEXED BY run_experiment WHERE e.experiment = ?1"             \
    " AND e.number = -search.rowid))"
#define TEXT_PAGE(order, reverse)                                                                                      \
    "SELECT " LAB_RUN_COLUMNS                                                                                          \
    " FROM (SELECT number FROM (SELECT run.number AS number FROM search"                                               \
    " CROSS JOIN run ON run.number = -search.rowid WHERE search MATCH ?10 AND search.rowid > -?7"                      \
    " AND search.rowid <= -?6" EXPERIMENT_OF_HIT CONDITIONS(                                                           \
        "-search.rowid") " ORDER BY search.rowid " reverse " LIMIT ?20)" ID_PART("run.id >= ?11 AND run.id < ?12",     \
                                                                                 order)                                \
        ID_PART("substr(run.id, -6) = substr(?15, -6) AND substr(run.id, -length(?15)) = ?15",                         \
                order) ") AS hit CROSS JOIN run ON run.number = hit.number ORDER BY hit.number " order " LIMIT ?20"
#define TEXT_NUMBERS(reverse)                                                                                          \
    "SELECT -rowid AS number FROM search WHERE search MATCH ?10 AND rowid > -?7 AND rowid <= -?6"                      \
    " ORDER BY rowid " reverse " LIMIT ?20"
#define TEXT_WAY                                                                                                       \
    {TEXT_PAGE("DESC", "ASC"), TEXT_PAGE("ASC", "DESC")}, {TEXT_NUMBERS("ASC"), TEXT_NUMBERS("DESC")},                 \
        COUNT_OF(TEXT_NUMBERS("ASC"))

/* Which condition the runs are read by, if the values that it needs are given. */
static const struct way {
    enum value value, also;            /* also 0: it needs one */
    bool of_hit;                       /* the condition is checked for a hit of the text without reading its run */
    const char *pages[2], *numbers[2]; /* the newest first, the oldest first */
    const char *count;
} ways[] = {
    {EXPERIMENT, DEVICE, true, WAY(BY_BOTH)}, {EXPERIMENT, 0, true, WAY(BY_EXPERIMENT)},
    {STATUS, 0, false, WAY(BY_STATUS)},       {PINNED, 0, false, WAY(BY_PINNED)},
    {DEVICE, 0, true, WAY(BY_DEVICE)},        {TAG, 0, true, WAY(BY_TAG)},
    {SWEEP, 0, false, WAY(BY_SWEEP)},         {TEXT, 0, true, TEXT_WAY},
    {PERSON, 0, false, WAY(BY_PERSON)},       {CHALLENGE, 0, false, WAY(BY_CHALLENGE)},
};
static const struct way every_run = {.pages = {BY_NOTHING(NEWEST), BY_NOTHING(OLDEST)}};
enum { WAY_COUNT = sizeof ways / sizeof *ways };

/* --- evaluating a filter ------------------------------------------------------------------------------------------ */

struct selection {
    struct lab_sql_value values[VALUE_COUNT + 1]; /* from 1, as in SQL */
    struct lab_number_range range;
    char *text;                                                  /* FTS5 expression; NULL when the filter has no text */
    char id_first[LAB_RUN_ID_SIZE], id_end[LAB_RUN_ID_SIZE + 1]; /* "": the text is no part of an id */
};

/* Returns the number of a run that may have been deleted: the order of numbers is that of ids. */
static bool number_of(struct lab_db *reader, const char *id, int64_t *number)
{
    return lab_run_find(reader, id, number) || lab_run_id_number(id, number);
}

/* Determines the range of numbers to read. Ids that are not valid select nothing. */
static void select_range(struct lab_db *reader, const struct lab_run_filter *filter, struct lab_number_range *range)
{
    static const char ends[] =
        "SELECT coalesce((SELECT min(number) FROM run), 0), coalesce((SELECT max(number) FROM run), 0)";
    int64_t number = 0;
    sqlite3_stmt *statement = lab_query(reader, ends, LAB_NO_VALUES);
    if (lab_query_next(reader, statement)) {
        *range = (struct lab_number_range){sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1) + 1};
        lab_query_reset(statement);
    }
    lab_range_narrow(reader, filter->since, filter->until, range);
    if (filter->before != NULL) {
        int64_t high = number_of(reader, filter->before, &number) ? number : 0;
        range->high = high < range->high ? high : range->high;
    }
    if (filter->after != NULL) {
        int64_t low = number_of(reader, filter->after, &number) ? number + 1 : LAB_RUN_NUMBER_END;
        range->low = low > range->low ? low : range->low;
    }
}

/* Lengths from which a text is compared with the beginning of ids, which is the time, and with their end, which is
 * random; a shorter one could match by accident. */
enum { ID_BEGINNING_MIN = 8, ID_TAIL_MIN = 6 };

/* Selects the runs whose id begins or ends with `text`. */
static void select_ids(const char *text, struct selection *selection)
{
    size_t length = strlen(text);
    if (length < ID_TAIL_MIN || length >= LAB_RUN_ID_SIZE || strspn(text, "0123456789abcdefABCDEF-") != length)
        return;
    for (size_t i = 0; i < length; i++)
        selection->id_first[i] = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] - 'A' + 'a' : text[i]);
    selection->values[ID_TAIL] = lab_text(selection->id_first);
    if (length < ID_BEGINNING_MIN)
        return;
    memcpy(selection->id_end, selection->id_first, length);
    selection->id_end[length] = '~'; /* sorts after all characters of an id */
    selection->values[ID_FIRST] = lab_text(selection->id_first);
    selection->values[ID_END] = lab_text(selection->id_end);
}

static enum lab_store_result select_runs(struct lab_db *reader, const struct lab_run_filter *filter,
                                         struct selection *selection)
{
    static const char find_sweep[] = "SELECT number FROM sweep WHERE id = ?1";
    struct lab_sql_value *values = selection->values;
    static const char find_challenge[] = "SELECT id FROM challenge WHERE name = ?1";
    int64_t sweep = 0, challenge = 0; /* the numbers of none */
    select_range(reader, filter, &selection->range);
    if (filter->sweep != NULL) {
        lab_select_integer(reader, &sweep, find_sweep, LAB_VALUES(lab_text(filter->sweep)));
        values[SWEEP] = lab_integer(sweep);
    }
    if (filter->challenge != NULL) {
        lab_select_integer(reader, &challenge, find_challenge, LAB_VALUES(lab_text(filter->challenge)));
        values[CHALLENGE] = lab_integer(challenge);
    }
    if (filter->by_pinned)
        values[PINNED] = lab_integer(filter->pinned);
    values[EXPERIMENT] = lab_text(filter->experiment);
    values[STATUS] = lab_text(filter->by_status ? lab_status_name(filter->status) : NULL);
    values[DEVICE] = lab_text(filter->device);
    values[TAG] = lab_text(filter->tag);
    values[PERSON] = lab_text(filter->requested_by);
    values[VIEWER] = lab_text(filter->viewer);
    values[NOW] = lab_integer(lab_time_now());
    values[LOW] = lab_integer(selection->range.low);
    values[HIGH] = lab_integer(selection->range.high);
    values[SINCE] = lab_integer_or_null(filter->since);
    values[UNTIL] = lab_integer_or_null(filter->until);
    if (filter->text == NULL || filter->text[0] == '\0')
        return LAB_STORE_OK;
    select_ids(filter->text, selection);
    selection->text = lab_search_expression(filter->text);
    values[TEXT] = lab_text(selection->text);
    values[QUERY] = lab_text(filter->text);
    return selection->text != NULL ? LAB_STORE_OK : lab_store_no_memory();
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

/* How many runs of each condition are counted to find the narrowest one. */
enum { COUNTED_MAX = 2000 };
/* The time to compare the text of a run, and to check by indexes the other conditions of a run that has the text, as
 * multiples of that to read the next number of a list. */
enum { RUN_TIME = 16, HIT_TIME = 4 };

/* Returns the mean distance between the newest runs of a condition, in numbers: the greater, the fewer runs match. */
static double distance(struct lab_db *reader, struct selection *selection, const char *sql)
{
    int64_t count = 0, lowest = selection->range.low;
    selection->values[LIMIT] = lab_integer(COUNTED_MAX);
    sqlite3_stmt *statement = lab_query(reader, sql, selection->values + 1, LIMIT);
    if (lab_query_next(reader, statement)) {
        count = sqlite3_column_int64(statement, 0);
        if (count == COUNTED_MAX)
            lowest = sqlite3_column_int64(statement, 1);
        lab_query_reset(statement);
    }
    return (double)(selection->range.high - lowest) / (double)(count + 1);
}

/* Whether the values that a way needs are given, and its index has the runs: there is none of those that have succeeded
 * or are not pinned, because nearly all runs are such. */
static bool is_possible(const struct lab_sql_value *values, const struct way *way)
{
    if (values[way->value].kind == LAB_VALUE_NULL || (way->also != 0 && values[way->also].kind == LAB_VALUE_NULL))
        return false;
    if (way->value == STATUS)
        return values[STATUS].kind == LAB_VALUE_TEXT &&
               strcmp(values[STATUS].bytes, lab_status_name(LAB_STATUS_SUCCEEDED)) != 0;
    return way->value != PINNED || values[PINNED].integer == 1;
}

/* A condition, and the mean distance of its runs. */
struct candidate {
    const struct way *way;
    double gap;
};

/* How to read the runs: by one condition, or by two side by side. */
struct plan {
    const struct way *way, *beside; /* beside NULL: by one */
};

/* Chooses between the text, the narrowest other condition, and both. `of_hit`: no run must be read to check the others
 * for a run that has the text. The index of texts does not have the runs whose ids match. */
static struct plan plan_with_text(const struct candidate *text, const struct candidate *other, bool of_hit,
                                  bool may_be_id)
{
    double by_text = (of_hit ? HIT_TIME : RUN_TIME) / text->gap, by_other = RUN_TIME / other->gap;
    double by_both = 1 / text->gap + 1 / other->gap;
    if (by_both < fmin(by_text, by_other) && !may_be_id)
        return (struct plan){text->way, other->way};
    return (struct plan){by_text < by_other ? text->way : other->way, NULL};
}

static struct plan plan_page(struct lab_db *reader, struct selection *selection)
{
    const struct way *given[WAY_COUNT];
    struct candidate text = {0}, other = {0};
    size_t count = 0;
    bool of_hit = true;
    for (size_t i = 0; i < WAY_COUNT; i++)
        if (is_possible(selection->values, &ways[i]))
            given[count++] = &ways[i];
    if (count <= 1)
        return (struct plan){count == 0 ? &every_run : given[0], NULL};
    for (size_t i = 0; i < count; i++) {
        const struct candidate candidate = {given[i], distance(reader, selection, given[i]->count)};
        of_hit = of_hit && given[i]->of_hit;
        if (given[i]->value == TEXT)
            text = candidate;
        else if (candidate.gap > other.gap)
            other = candidate;
    }
    if (text.way == NULL)
        return (struct plan){other.way, NULL};
    return plan_with_text(&text, &other, of_hit, selection->values[ID_TAIL].kind != LAB_VALUE_NULL);
}

/* A page while it is read. */
struct page {
    size_t limit, count;
    void (*row)(void *context, const struct lab_run_row *run);
    void *context;
    bool more; /* there are more runs than the limit */
};

/* Passes the rows of a statement on, up to the limit. */
static void read_rows(struct lab_db *reader, sqlite3_stmt *statement, struct page *page)
{
    while (!page->more && lab_query_next(reader, statement)) {
        struct lab_run_row run;
        if (page->count++ == page->limit) {
            page->more = true;
            lab_query_reset(statement);
            return;
        }
        lab_run_read(statement, &run);
        page->row(page->context, &run);
    }
}

/* Reads the runs of a condition, of those that meet the others. */
static void read_by_one(struct lab_db *reader, const struct way *way, bool oldest_first, struct selection *selection,
                        struct page *page)
{
    /* One row more than the limit shows whether there are more. */
    selection->values[LIMIT] = lab_integer((int64_t)page->limit + 1);
    read_rows(reader, lab_query(reader, way->pages[oldest_first], selection->values + 1, LIMIT), page);
}

/* A list of numbers while it is read. */
struct numbers {
    sqlite3_stmt *statement;
    bool has_number;
    int64_t number; /* the next one */
};

static void next_number(struct lab_db *reader, struct numbers *numbers)
{
    numbers->has_number = lab_query_next(reader, numbers->statement);
    if (numbers->has_number)
        numbers->number = sqlite3_column_int64(numbers->statement, 0);
}

/* Reads the runs that two conditions have in common, of those that meet the others. */
static void read_side_by_side(struct lab_db *reader, const struct plan *plan, bool oldest_first,
                              struct selection *selection, struct page *page)
{
    static const char one[] = "SELECT " LAB_RUN_COLUMNS " FROM run WHERE run.number = ?21" CONDITIONS("run.number");
    const char *const lists[] = {plan->way->numbers[oldest_first], plan->beside->numbers[oldest_first]};
    struct numbers numbers[2];
    selection->values[LIMIT] = lab_integer(-1);
    for (size_t i = 0; i < 2; i++) {
        numbers[i].statement = lab_query(reader, lists[i], selection->values + 1, LIMIT);
        next_number(reader, &numbers[i]);
    }
    while (!page->more && numbers[0].has_number && numbers[1].has_number) {
        int64_t ahead = (numbers[0].number - numbers[1].number) * (oldest_first ? 1 : -1); /* of the second list */
        if (ahead == 0) {
            selection->values[NUMBER] = lab_integer(numbers[0].number);
            read_rows(reader, lab_query(reader, one, selection->values + 1, NUMBER), page);
        }
        if (ahead <= 0)
            next_number(reader, &numbers[0]);
        if (ahead >= 0)
            next_number(reader, &numbers[1]);
    }
    for (size_t i = 0; i < 2; i++)
        if (numbers[i].has_number)
            lab_query_reset(numbers[i].statement);
}

enum lab_store_result lab_store_list_runs(struct lab_store *store, const struct lab_run_filter *filter,
                                          void (*row)(void *context, const struct lab_run_row *run), void *context,
                                          bool *more)
{
    *more = false;
    if (filter->limit < 1 || filter->limit > LAB_LIST_MAX)
        return lab_result(LAB_STORE_FAILED, "limit must be 1 to %d, not %zu", LAB_LIST_MAX, filter->limit);
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;

    struct selection selection = {0};
    enum lab_store_result result = select_runs(reader, filter, &selection);
    if (result == LAB_STORE_OK && selection.range.low < selection.range.high) {
        const struct plan plan = plan_page(reader, &selection);
        struct page page = {.limit = filter->limit, .row = row, .context = context};
        if (plan.beside != NULL)
            read_side_by_side(reader, &plan, filter->oldest_first, &selection, &page);
        else
            read_by_one(reader, plan.way, filter->oldest_first, &selection, &page);
        *more = page.more;
    }
    free(selection.text);
    return lab_reader_release(store, reader, result);
}
