/* Conditions that may change during a run: the CPUs' frequency governors, the kernel's writeback
 * settings, and the temperature and health of the disks below the target, as far as they are
 * readable without root. */
#ifndef ASSAY_CONDITIONS_H
#define ASSAY_CONDITIONS_H

#include "workspace.h"

/* Reads them and writes the event `conditions`; `when` is "start" or "end". A drive may
 * respond late or never, so this is an errand; a run that is stopped meanwhile has no event. */
void conditions_report(struct workspace *workspace, const char *when);

#endif
