#ifndef ASSAY_VERSION_H
#define ASSAY_VERSION_H

#define PROBE_VERSION "0.1.0"

#endif
