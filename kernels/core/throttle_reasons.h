/* Why the clock of a device is lowered: the reasons of `throttle` in conditions and telemetry, each declared once with
 * what it says of a value that was measured meanwhile.
 */
#ifndef LAB_THROTTLE_REASONS_H
#define LAB_THROTTLE_REASONS_H

/* ROW(bit of nvmlClocksEventReasons, name, kind). The name never changes: it is stored, and programs know it. Bit 0x1
 * is left out, because it only means that the device is idle. */
#define LAB_THROTTLE_REASONS(ROW)                                                                                      \
    ROW(0x2, "application-clocks", SETTING)                                                                            \
    ROW(0x4, "power-cap", NORMAL)                                                                                      \
    ROW(0x8, "hardware-slowdown", FAULT)                                                                               \
    ROW(0x10, "sync-boost", SETTING)                                                                                   \
    ROW(0x20, "thermal", FAULT)                                                                                        \
    ROW(0x40, "hardware-thermal", FAULT)                                                                               \
    ROW(0x80, "power-brake", FAULT)                                                                                    \
    ROW(0x100, "display-clocks", SETTING)

/* How many reasons there are. */
#define LAB_THROTTLE_TALLY(bit, name, kind) "|"
enum { LAB_THROTTLE_MAX = sizeof(LAB_THROTTLE_REASONS(LAB_THROTTLE_TALLY)) - 1 };

enum lab_throttle_kind {
    LAB_THROTTLE_NORMAL,  /* normal for a kernel that keeps the device busy: a fact, no caution */
    LAB_THROTTLE_SETTING, /* a caution: the value may be too low; the device is sound */
    LAB_THROTTLE_FAULT,   /* a caution, and the device is not sound */
};

#endif
