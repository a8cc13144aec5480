/* What a tool writes to the sink's file system, but not into its directories there. Other programs may
 * write there, too; the backend compares it with what is missing. */
#ifndef ASSAY_OBSERVE_ELSEWHERE_H
#define ASSAY_OBSERVE_ELSEWHERE_H

#include "observe/observation.h"

/* Remembers how full the file system is, before the tool's first command. False at a stop. */
bool elsewhere_begin(struct observation *observation);

/* Finds what the file system took in since then, outside of the directories of the data and of the
 * tool's own files. Called by an errand, after the final sync. */
void elsewhere_end(struct observation *observation);

#endif
