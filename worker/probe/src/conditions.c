#include "conditions.h"

#include "blockdev.h"
#include "errand.h"
#include "host.h"
#include "sensor.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOVERNORS_MOST 8
#define READINGS_MOST 64

struct report {
    struct workspace *workspace;
    const char *when;
    struct text text;       /* fields of the event */
    struct text unreadable; /* elements of its array `unreadable` */
    struct disks disks;
};

static bool calls(struct report *report, const char *call)
{
    return errand_calls(&report->workspace->errand, call);
}

static void add_unreadable(struct report *report, const char *what, const char *reason)
{
    json_open(&report->unreadable, NULL, '{');
    json_string(&report->unreadable, "what", what);
    json_string(&report->unreadable, "reason", reason);
    json_close(&report->unreadable, '}');
}

/* Finds files of /sys; the caller frees `found`. Their number, 0 if there is none. */
static size_t find(const char *pattern, glob_t *found)
{
    *found = (glob_t){0};
#ifdef ASSAY_TEST_ROOT
    char below[PATH_MAX];
    const char *root = getenv("ASSAY_PROBE_ROOT");
    if (root && snprintf(below, sizeof below, "%s%s", root, pattern) < PATH_MAX && glob(below, 0, NULL, found) == 0)
        return found->gl_pathc;
#endif
    return glob(pattern, 0, NULL, found) == 0 ? found->gl_pathc : 0;
}

/* A number that is the whole text; false with errno. */
static bool parse_number(const char *text, int64_t *number)
{
    char *end = NULL;
    errno = 0;
    const int64_t value = strtoll(text, &end, 10);
    if (errno == 0 && (end == text || *end != '\0'))
        errno = EINVAL;
    if (errno)
        return false;
    *number = value;
    return true;
}

static bool read_number(const char *path, int64_t *number)
{
    char text[64];
    return host_read_file(path, text, sizeof text) >= 0 && parse_number(text, number);
}

static void add_governors(struct report *report)
{
    struct {
        char name[32];
        uint64_t cpus;
    } seen[GOVERNORS_MOST];
    size_t count = 0;
    const char *reason = "no CPU has one in /sys/devices/system/cpu: firmware or hypervisor set the frequency";
    glob_t found;
    const size_t files = find("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor", &found);
    for (size_t i = 0; i < files; i++) {
        char name[32];
        size_t at = 0;
        if (host_read_file(found.gl_pathv[i], name, sizeof name) <= 0) {
            reason = strerror(errno);
            continue;
        }
        while (at < count && strcmp(seen[at].name, name) != 0)
            at++;
        if (at == GOVERNORS_MOST)
            continue;
        if (at == count) {
            memcpy(seen[count].name, name, sizeof name);
            seen[count++].cpus = 0;
        }
        seen[at].cpus++;
    }
    globfree(&found);
    json_open(&report->text, "governors", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&report->text, NULL, '{');
        json_string(&report->text, "name", seen[i].name);
        json_uint(&report->text, "cpus", seen[i].cpus);
        json_close(&report->text, '}');
    }
    json_close(&report->text, ']');
    if (count == 0)
        add_unreadable(report, "governor", reason);
}

static void add_writeback(struct report *report)
{
    static const char *const names[] = {"dirty_ratio", "dirty_bytes", "dirty_background_ratio", "dirty_background_bytes",
                                        "dirty_expire_centisecs", "dirty_writeback_centisecs"};
    json_open(&report->text, "vm", '{');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[96], what[64];
        int64_t value = -1;
        snprintf(path, sizeof path, "/proc/sys/vm/%s", names[i]);
        snprintf(what, sizeof what, "vm.%s", names[i]);
        if (!read_number(path, &value))
            add_unreadable(report, what, strerror(errno));
        json_known(&report->text, names[i], value);
    }
    json_close(&report->text, '}');
}

/* Why a sensor's file could not be read. */
static const char *reason_of(int error)
{
    return error == ETIMEDOUT ? "it did not respond within 5 s" : strerror(error);
}

/* The reading of one sensor file; false with errno. */
static bool add_temperature(struct report *report, const char *source, const char *device, const char *sensor, const char *path)
{
    char text[SENSOR_TEXT];
    int64_t millidegrees = 0;
    if (!sensor_read(&report->workspace->errand, path, text) || !parse_number(text, &millidegrees))
        return false;
    json_open(&report->text, NULL, '{');
    json_string(&report->text, "source", source);
    json_string(&report->text, "device", device);
    json_string(&report->text, "sensor", sensor);
    json_int(&report->text, "millidegrees_c", millidegrees);
    json_close(&report->text, '}');
    return true;
}

/* A sensor's name from hwmon, as in "nvme Composite"; "sensor" if it has none. */
static void sensor_name(const char *input, char *name, size_t size)
{
    char path[PATH_MAX], chip[32], label[64];
    const char *file = strrchr(input, '/') + 1;
    snprintf(path, sizeof path, "%.*s/name", (int)(file - input - 1), input);
    if (host_read_file(path, chip, sizeof chip) <= 0)
        snprintf(chip, sizeof chip, "sensor");
    snprintf(path, sizeof path, "%.*s%.*s_label", (int)(file - input), input, (int)strcspn(file, "_"), file);
    bool labeled = host_read_file(path, label, sizeof label) > 0;
    snprintf(name, size, "%s%s%s", chip, labeled ? " " : "", labeled ? label : "");
}

/* Returns the sensors that could be read; `error` is why others could not. A disk that does not
 * respond is not asked again. */
static size_t add_sensors(struct report *report, const char *disk, int *error)
{
    /* SCSI and ATA drives (drivetemp), NVMe controllers, and those of older kernels */
    static const char *const places[] = {"device/hwmon/hwmon*", "device/hwmon*", "device/device/hwmon/hwmon*"};
    size_t count = 0;
    for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
        char pattern[PATH_MAX], name[128];
        glob_t found;
        snprintf(pattern, sizeof pattern, "/sys/class/block/%s/%s/temp*_input", disk, places[place]);
        const size_t files = find(pattern, &found);
        for (size_t i = 0; i < files && count < READINGS_MOST && *error != ETIMEDOUT && calls(report, "read"); i++) {
            sensor_name(found.gl_pathv[i], name, sizeof name);
            if (add_temperature(report, "device", disk, name, found.gl_pathv[i]))
                count++;
            else
                *error = errno;
        }
        globfree(&found);
    }
    return count;
}

static size_t add_thermal_zones(struct report *report, int *error)
{
    glob_t found;
    size_t count = 0;
    const size_t files = find("/sys/class/thermal/thermal_zone*/temp", &found);
    for (size_t i = 0; i < files && count < READINGS_MOST && *error != ETIMEDOUT; i++) {
        char path[PATH_MAX], type[64];
        snprintf(path, sizeof path, "%.*s/type", (int)(strrchr(found.gl_pathv[i], '/') - found.gl_pathv[i]), found.gl_pathv[i]);
        if (host_read_file(path, type, sizeof type) <= 0)
            snprintf(type, sizeof type, "unnamed");
        if (add_temperature(report, "thermal_zone", NULL, type, found.gl_pathv[i]))
            count++;
        else
            *error = errno;
    }
    globfree(&found);
    return count;
}

static void add_temperatures(struct report *report)
{
    size_t sensors = 0;
    int zone_error = 0;
    json_open(&report->text, "temperatures", '[');
    for (size_t i = 0; i < report->disks.count; i++) {
        int error = 0;
        const char *disk = report->disks.list[i].name;
        char what[96];
        const size_t found = add_sensors(report, disk, &error);
        sensors += found;
        snprintf(what, sizeof what, "temperature of %s", disk);
        if (found == 0 || error)
            add_unreadable(report, what, error ? reason_of(error) : "it has no sensor in /sys; a SATA disk needs the kernel's drivetemp module");
    }
    if (report->disks.count == 0)
        add_unreadable(report, "device temperature", "the target has no local device");
    if (sensors == 0 && (add_thermal_zones(report, &zone_error) == 0 || zone_error))
        add_unreadable(report, "thermal zones", zone_error ? reason_of(zone_error) : "the host has none in /sys/class/thermal");
    json_close(&report->text, ']');
}

/* Reads a file about a disk; false if it has none, or the disk did not respond to this or an earlier
 * one, which is in `error`. */
static bool read_health(struct report *report, const char *disk, const char *file, char text[SENSOR_TEXT], int *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/block/%s/%s", disk, file);
    if (*error == ETIMEDOUT || !calls(report, "read"))
        return false;
    if (sensor_read(&report->workspace->errand, path, text))
        return true;
    *error = errno;
    return false;
}

/* State of a disk (SCSI, NVMe), failed commands (SCSI), and missing members (MD RAID). */
static void add_health_of(struct report *report, const char *disk)
{
    char state[SENSOR_TEXT], errors[SENSOR_TEXT], missing[SENSOR_TEXT], what[96];
    int64_t degraded = -1;
    int error = 0;
    const bool known = read_health(report, disk, "device/state", state, &error);
    const bool counted = read_health(report, disk, "device/ioerr_cnt", errors, &error); /* in hexadecimal */
    const bool array = read_health(report, disk, "md/degraded", missing, &error) && parse_number(missing, &degraded);
    snprintf(what, sizeof what, "health of %s", disk);
    if (error == ETIMEDOUT)
        add_unreadable(report, what, reason_of(error));
    if (known || counted || array) {
        json_open(&report->text, NULL, '{');
        json_string(&report->text, "device", disk);
        json_string(&report->text, "state", known ? state : NULL);
        json_known(&report->text, "io_errors", counted ? strtoll(errors, NULL, 0) : -1);
        json_known(&report->text, "members_missing", array ? degraded : -1);
        json_close(&report->text, '}');
        return;
    }
    if (error != ETIMEDOUT)
        add_unreadable(report, what, "the kernel reports no state for it in /sys, and SMART data needs root");
}

static void add_health(struct report *report)
{
    const char *top = report->workspace->target.device;
    bool listed = false;
    json_open(&report->text, "health", '[');
    for (size_t i = 0; i < report->disks.count; i++) {
        add_health_of(report, report->disks.list[i].name);
        listed |= strcmp(report->disks.list[i].name, top) == 0;
    }
    char path[PATH_MAX], place[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/block/%s/md/degraded", top);
    if (!listed && top[0] && access(host_path(place, path), F_OK) == 0)
        add_health_of(report, top);
    json_close(&report->text, ']');
}

static void find_disks(struct report *report)
{
    const struct target *target = &report->workspace->target;
    disks_below(target->device, &report->disks);
    for (int i = 0; target->counter.source != COUNTER_SERVER && i < target->counter.count; i++)
        disks_below(target->counter.names[i], &report->disks);
}

static bool read_all(void *argument)
{
    struct report *report = argument;
    find_disks(report);
    if (!calls(report, "read"))
        return false;
    add_governors(report);
    add_writeback(report);
    add_temperatures(report);
    add_health(report);
    return !atomic_load(&report->workspace->errand.ending);
}

static void write_event(const struct report *report)
{
    struct text *line = event_begin(report->workspace->spool, "conditions");
    json_string(line, "when", report->when);
    text_format(line, ",%.*s,\"unreadable\":[%.*s]", (int)report->text.length, report->text.data, (int)report->unreadable.length,
                report->unreadable.data ? report->unreadable.data : "");
    event_end(report->workspace->spool);
}

void conditions_report(struct workspace *workspace, const char *when)
{
    struct report report = {.workspace = workspace, .when = when};
    const bool starts = strcmp(when, "start") == 0;
    if (errand_run(&workspace->errand, starts ? ERRAND_PREPARING : ERRAND_REMOVING, 0, read_all, &report))
        write_event(&report);
    text_free(&report.text);
    text_free(&report.unreadable);
}
