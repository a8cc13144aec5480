/* Reading a sensor of a device, which may take long or never return. */
#ifndef ASSAY_SENSOR_H
#define ASSAY_SENSOR_H

#include "errand.h"

#include <stdbool.h>
#include <stddef.h>

#define SENSOR_TEXT 128

/* Reads a file of /sys without its final newline, in a process of its own, within five seconds; false
 * with errno: ETIMEDOUT if the device did not respond, ECANCELED if the run ends meanwhile. A
 * process that hangs stays on the host until the kernel releases it. Called by an errand. */
bool sensor_read(struct errand *errand, const char *path, char text[SENSOR_TEXT]);

#endif
