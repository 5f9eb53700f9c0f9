/* A ready challenge as a row of lab_ready_challenges (descriptor/ready_challenges.h). */
#ifndef LAB_CHALLENGES_H
#define LAB_CHALLENGES_H

#include "pages/source_file.h"

/* Writes the row of the challenge in `folder`, which kernels/challenges/README.md describes. Ends the process with a
 * message if a file is missing or has another form. What the members may be is checked by whoever publishes it. */
void lab_challenge_write(struct lab_source_files *files, const char *folder, FILE *out);

#endif
