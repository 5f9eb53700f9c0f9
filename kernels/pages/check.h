/* Whether NAME.json fits its experiment, the lessons of programs are experiments, and what the guide names exists. */
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include "descriptor/experiment.h"
#include "descriptor/guide.h"
#include "descriptor/sample_programs.h"

#include <stdio.h>

/* Adds an error, with its pointer into the document, for each preset whose parameters the experiment refuses, and for
 * each figure of a reference with a metric, a unit or an axis that the experiment does not have, without an axis that
 * it has, or at a point that no run can have. The document must have the members of NAME.json (lab_data_read). */
void lab_data_check(const json_t *document, const struct lab_experiment *experiment, struct lab_errors *errors);

/* Whether each lesson of each program is an experiment; prints the others as "FILE:LINE: …". The list ends with name
 * NULL. */
bool lab_lessons_check(const struct lab_sample_program *programs, FILE *messages);

/* Whether each fact in the texts of pages is one, and each address that pages and terms lead to exists: of an
 * experiment, a page of the guide, a sample program, another page. Prints the others. */
bool lab_guide_check(const struct lab_guide_page *pages, const struct lab_term *terms, FILE *messages);

/* Whether the published devices have a name, a source and properties, each of which is a fact; prints the others.
 * `cards` is as lab_published_cards. */
bool lab_cards_check(const char *cards, FILE *messages);

#endif
