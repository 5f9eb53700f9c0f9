/* What a device reports about its own state: the PCIe link that is in use, and the errors of its memory. Unlike a fact,
 * a reading changes while the device is used.
 */
#ifndef LAB_READINGS_H
#define LAB_READINGS_H

/* Each is an int64_t; LAB_UNKNOWN (facts.h) where the device or its driver does not report it. */
enum lab_reading {
    LAB_READING_LINK_WIDTH,      /* lanes of the PCIe link */
    LAB_READING_LINK_GENERATION, /* of the PCIe link; an idle link may be slower than a busy one */
    LAB_READING_ECC_UNCORRECTED, /* memory errors that ECC could not correct, since the driver was loaded */
    LAB_READING_ECC_UNCORRECTED_LIFETIME,
    LAB_READING_REMAPPED_ROWS,      /* rows of memory that were replaced because of uncorrectable errors */
    LAB_READING_REMAP_PENDING,      /* boolean: a row will be replaced when the device is reset */
    LAB_READING_REMAP_FAILED,       /* boolean: no spare row was left */
    LAB_READING_RETIRED_PAGES,      /* pages that are no longer used because of errors, on devices before Ampere */
    LAB_READING_RETIREMENT_PENDING, /* boolean: a page will be retired when the driver is loaded again */
    LAB_READING_PROCESSES,          /* compute processes on the device, with this one */
    LAB_READINGS
};

#endif
