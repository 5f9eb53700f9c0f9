/* A crew: threads that do a thing together, again and again, and wait in between.
 */
#ifndef LAB_SCALING_CREW_H
#define LAB_SCALING_CREW_H

#include <stddef.h>

struct scaling_crew;

/* `count` threads, thread `index` of which calls serve(context, index) each time the crew is run. NULL when so many
 * threads cannot be had. */
struct scaling_crew *scaling_crew_start(size_t count, void (*serve)(void *context, size_t index), void *context);

/* Ends the threads; NULL is nothing. */
void scaling_crew_stop(struct scaling_crew *crew);

/* Lets all threads go at once and returns when all are done. */
void scaling_crew_run(struct scaling_crew *crew);

/* From within `serve`: returns when all threads have come here. Either all call it in a run, or none. */
void scaling_crew_meet(struct scaling_crew *crew);

#endif
