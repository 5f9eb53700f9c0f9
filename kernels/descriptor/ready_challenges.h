/* Challenges that an admin can publish: a table that gpulab-pages-challenges (kernels/pages) has made of
 * kernels/challenges.
 */
#ifndef LAB_READY_CHALLENGES_H
#define LAB_READY_CHALLENGES_H

struct lab_ready_challenge {
    const char *name;     /* "vector-add", also in the document */
    const char *document; /* JSON: the body of POST /challenges (server/api/API.md) without dates */
};

/* In the order in which they are listed to people; ends with name NULL. */
extern const struct lab_ready_challenge lab_ready_challenges[];

#endif
