/* A fake worker that follows or violates the protocol on request: the test program itself, started again with the
 * worker's arguments. Another runtime than "host" is the name of another machine, whose devices are all CUDA devices. A
 * run's parameter `behaviour` selects what it does when it measures, `tracing` what it does when it traces; of an own
 * kernel that is no edited source, the source does. The
 * environment variable FAKE_WORKER selects what it does from its start: "no-device" exits, "mute" never answers, "old"
 * says no hello, "other-version" says hello with another version. It does not find the device FAKE_WORKER_MISSING when
 * it is told to open only this one and others. While the file FAKE_WORKER_BROKEN exists, a worker exits like one
 * without devices, and one that is to examine its machine like an older one; while the file FAKE_WORKER_MUTE exists, a
 * worker does not answer; while the file FAKE_EXAMINATION_SLOW exists, an examination does not end. */
#ifndef LAB_FAKE_WORKER_H
#define LAB_FAKE_WORKER_H

/* The path of the program that is the fake worker. */
extern const char fake_worker_path[];

#endif
