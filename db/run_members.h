/* The members of a run, each declared once, in the order of its JSON. From a row follow the member of struct
 * lab_run_row, its column, its JSON, its schema, and the check of an import. Rows are as in core/result_members.h, with
 * two more kinds:
 *
 *     FOUND(x, FORM, name, PRESENCE, "SQL", details)    the value is what a query finds for the run, not a column
 *     LIVE(x, FORM, name, PRESENCE, details)            the value is known while the run is queued or executed, and not stored
 *
 * and with two more words for PRESENCE: LOCAL and DERIVED stand for NULLABLE and GIVEN where exports lack the member,
 * because it belongs to this lab, or follows from the measurements.
 */
#ifndef LAB_RUN_MEMBERS_H
#define LAB_RUN_MEMBERS_H

#include "core/result_members.h"

/* As in lists and events. */
#define LAB_RUN_SUMMARY(ROW, FOUND, LIVE, x)                                                                           \
    ROW(x, TEXT, id, GIVEN, .text = "A UUIDv7: ids sort by the time of creation.")                                     \
    ROW(x, INTEGER, revision, GIVEN, .minimum = 1, .maximum = LAB_INTEGER_MAX,                                         \
        .text = "Grows with status, tags, note, pinned and public; measurements do not change it.")                    \
    ROW(x, TEXT, experiment, GIVEN)                                                                                    \
    ROW(x, STATUS, status, GIVEN)                                                                                      \
    ROW(x, LIST, devices, GIVEN, LAB_RUN_DEVICES)                                                                      \
    ROW(x, TEXT, host, GIVEN, .text = "The name of the machine that has the devices.", .withheld = true)               \
    ROW(x, OBJECT, parameters, GIVEN, .text = "All parameters, with defaults.")                                        \
    ROW(x, LIST, tags, GIVEN, .type = LAB_TYPE_STRING, .withheld = true)                                               \
    ROW(x, TEXT, note, GIVEN, .withheld = true)                                                                        \
    ROW(x, BOOLEAN, pinned, GIVEN, .text = "Whether the run is kept: it cannot be deleted.")                           \
    ROW(x, BOOLEAN, public, DERIVED, .text = "Whether a lab that is open to everyone shows the whole run.")            \
    ROW(x, PRIORITY, priority, GIVEN)                                                                                  \
    ROW(x, TEXT, requested_by, NULLABLE, .text = "The person who asked for the run.", .withheld = true)                \
    ROW(x, TIME, secret_until, LATER,                                                                                  \
        .text = "Until then only the person who asked for the run, and admins, know of it; null: it is no secret.")    \
    FOUND(x, TEXT, sweep, LOCAL, "(SELECT sweep.id FROM sweep WHERE sweep.number = run.sweep)",                        \
          .text = "The id of the sweep that the run is part of.")                                                      \
    FOUND(x, TEXT, challenge, LOCAL, "(SELECT challenge.name FROM challenge WHERE challenge.id = run.challenge)",      \
          .text = "The name of the challenge that the run is a submission to.")                                        \
    ROW(x, OBJECT, compare_with, NULLABLE, .text = "What the run is compared with.")                                   \
    ROW(x, OBJECT, kernel, LATER,                                                                                      \
        .text = "A kernel of one's own, as it was given; in lists and events without its source.", .withheld = true)   \
    ROW(x, OBJECT, program, LATER,                                                                                     \
        .text = "A whole program, as it was given; in lists and events without the texts of its files.",               \
        .withheld = true)                                                                                              \
    ROW(x, NUMBER, time_limit_s, NULLABLE, .above = true, .maximum = INFINITY,                                         \
        .text = "null for runs of older versions.")                                                                    \
    ROW(x, TIME, created_at, GIVEN)                                                                                    \
    ROW(x, TIME, started_at, NULLABLE)                                                                                 \
    ROW(x, TIME, finished_at, NULLABLE)                                                                                \
    LIVE(x, INTEGER, queue_position, LOCAL, .maximum = INFINITY, .text = "0 for the next run.")                        \
    LIVE(x, NUMBER, wait_s, LOCAL, .maximum = INFINITY,                                                                \
         .text =                                                                                                       \
             "The expected time until the run starts; null unless it is queued and the queue is neither paused "       \
             "nor held.")                                                                                              \
    LIVE(x, OBJECT, progress, LOCAL, LAB_RUN_PROGRESS)                                                                 \
    ROW(x, BOOLEAN, contended, GIVEN, .text = "Whether another process used a device meanwhile.")                      \
    ROW(x, COUNT, measurement_count, GIVEN, .maximum = LAB_MEASUREMENTS_MAX, .text = "So far.")                        \
    ROW(x, COUNT, wrong_count, DERIVED, .maximum = LAB_MEASUREMENTS_MAX, .text = "Measurements with wrong results.")   \
    ROW(x, LIST, headline, NULLABLE, LAB_RUN_HEADLINE)                                                                 \
    FOUND(x, LIST, warnings, GIVEN, LAB_SENTENCES_OF("warning"), .type = LAB_TYPE_STRING,                              \
          .items_max = LAB_SENTENCES_MAX, .withheld = true)                                                            \
    FOUND(x, LIST, notes, GIVEN, LAB_SENTENCES_OF("note"), .type = LAB_TYPE_STRING, .items_max = LAB_SENTENCES_MAX,    \
          .withheld = true)                                                                                            \
    ROW(x, OBJECT, error, NULLABLE, LAB_RUN_ERROR, .withheld = true)

/* Also in the document of one run. */
#define LAB_RUN_DETAILS(ROW, FOUND, x)                                                                                 \
    ROW(x, TEXT, output, LATER, .text = "What an own kernel or a program printed; empty: it was removed.",             \
        .withheld = true)                                                                                              \
    ROW(x, LIST, messages, LATER, LAB_RUN_MESSAGES, .withheld = true)                                                  \
    ROW(x, LIST, findings, LATER, LAB_RUN_FINDINGS, .withheld = true)                                                  \
    FOUND(x, OBJECT, environment, NULLABLE, "(SELECT content FROM environment WHERE environment.run = run.number)",    \
          LAB_RUN_ENVIRONMENT)

/* In no document. The planned duration is 0 where it is unknown; the model are the distinct names of the devices,
 * sorted, joined with " + ". */
#define LAB_RUN_HIDDEN(ROW, FOUND, x)                                                                                  \
    ROW(x, NUMBER, estimate_s, GIVEN, .maximum = INFINITY)                                                             \
    FOUND(x, TEXT, model, GIVEN, "(SELECT name FROM model WHERE model.id = run.model)")

#define LAB_SENTENCES_OF(table)                                                                                        \
    "(SELECT json_group_array(text) FROM (SELECT text FROM " table " WHERE " table                                     \
    ".run = run.number ORDER BY position))"

/* For a macro that leaves out rows of a kind. */
#define LAB_NO_ROW(...)

#define LAB_NULLABLE_LOCAL true
#define LAB_NULLABLE_DERIVED false
#define LAB_REQUIRED_LOCAL false
#define LAB_REQUIRED_DERIVED false

#endif
