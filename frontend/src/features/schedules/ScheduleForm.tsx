import { Button, Select, TextInput } from "@mantine/core";
import { api, unwrap } from "@/api/client";
import type { Plan, Schedule } from "@/api/shapes";
import { useVersion } from "@/api/useVersion";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { BlackoutFields } from "./BlackoutFields";
import { FireTimes, SkippedTimes } from "./FireTimes";
import classes from "./Schedules.module.css";
import { usePreview } from "./usePreview";
import { graceOptions, ownZone, PRESETS, zoneOptions } from "./words";

const CUSTOM = "custom";
const USUAL_GRACE_S = 3600;

type ScheduleFormProps = {
  /** The schedule that is changed, or else the plan and the name of a new one. */
  of: Schedule | { plan: Plan; name: string };
  onSaved: (saved: Schedule) => unknown;
};

/** When a plan is launched: a new schedule for a plan, or a change of an existing one. */
export function ScheduleForm({ of, onSaved }: ScheduleFormProps) {
  const schedule = "id" in of ? of : undefined;
  const version = useVersion(schedule);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: {
      name: of.name,
      cron: schedule?.cron ?? "0 2 * * *",
      zone: schedule?.zone ?? ownZone(),
      weekly_blackouts: schedule?.weekly_blackouts ?? [],
      dated_blackouts: schedule?.dated_blackouts ?? [],
      grace_s: String(schedule?.grace_s ?? USUAL_GRACE_S),
    },
    changed: "schedules",
    send: ({ grace_s, ...values }) => {
      const body = { ...values, grace_s: Number(grace_s) };
      return unwrap(
        schedule
          ? api.PATCH("/api/v1/schedules/{schedule_id}", {
              params: { path: { schedule_id: schedule.id }, header: version.header() },
              body,
            })
          : api.POST("/api/v1/schedules", { body: { ...body, plan: of.plan } }),
      ) as Promise<Schedule>;
    },
    onSaved,
  });
  const { name: _, grace_s: __, ...timetable } = form.values;
  const { preview, errors, error } = usePreview(timetable);
  const errorAt = (field: string) => errors[field] ?? form.errors[field];
  const isPreset = PRESETS.some(({ value }) => value === form.values.cron);
  const isUnexplained = error !== null && Object.keys(errors).length === 0;
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <div className={layout.row}>
        <Select
          label="Repeat"
          data={[...PRESETS, ...(isPreset ? [] : [{ value: CUSTOM, label: "Custom" }])]}
          value={isPreset ? form.values.cron : CUSTOM}
          allowDeselect={false}
          onChange={(value) => {
            if (value && value !== CUSTOM) form.setFieldValue("cron", value);
          }}
        />
        <TextInput
          label="Cron expression"
          description="Minute, hour, day, month, weekday"
          required
          classNames={{ input: classes.cron }}
          {...form.getInputProps("cron")}
          error={errorAt("cron")}
        />
      </div>
      <div className={layout.row}>
        <Select
          label="Time zone"
          data={zoneOptions(form.values.zone)}
          searchable
          limit={100}
          allowDeselect={false}
          nothingFoundMessage="No matches"
          {...form.getInputProps("zone")}
          error={errorAt("zone")}
        />
        <Select
          label="Grace"
          description="How late a missed fire time may still launch"
          data={graceOptions(Number(form.values.grace_s))}
          allowDeselect={false}
          {...form.getInputProps("grace_s")}
        />
      </div>
      <BlackoutFields
        weekly={form.values.weekly_blackouts}
        dated={form.values.dated_blackouts}
        onWeekly={(weekly) => form.setFieldValue("weekly_blackouts", weekly)}
        onDated={(dated) => form.setFieldValue("dated_blackouts", dated)}
        error={errorAt}
      />
      <section className={classes.preview} aria-label="Next fire times" aria-live="polite">
        <h3>Next fire times</h3>
        {preview ? (
          <>
            <p className={classes.hint}>{preview.description}</p>
            <FireTimes times={preview.fire_times} label="Next fire times" />
            <SkippedTimes times={preview.skipped} />
          </>
        ) : (
          <p className={classes.hint}>{error ? "Fix the errors shown." : "Computing…"}</p>
        )}
        {isUnexplained ? <ProblemPanel error={error} /> : null}
      </section>
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending} disabled={error !== null}>
          {schedule ? "Save schedule" : "Create schedule"}
        </Button>
      </div>
    </form>
  );
}
