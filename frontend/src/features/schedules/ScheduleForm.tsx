import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, asProblem, unwrap } from "@/api/client";
import type {
  DatedBlackout,
  Plan,
  Schedule,
  SchedulePreview,
  Timetable,
  WeeklyBlackout,
} from "@/api/shapes";
import { useVersion } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { FireTimes, SkippedTimes } from "./FireTimes";
import classes from "./Schedules.module.css";
import { DAYS, type Day, dayName, graceOptions, ownZone, PRESETS, zoneOptions } from "./schedules";

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

/** How long input must pause before a request is sent. */
const PAUSE_MS = 250;

/** The next fire times of a timetable, or what is wrong with it, by field. */
function usePreview(timetable: Timetable): {
  preview: SchedulePreview | undefined;
  errors: Record<string, string>;
  error: Error | null;
} {
  const [settled] = useDebouncedValue(JSON.stringify(timetable), PAUSE_MS);
  const { data, error } = useQuery({
    queryKey: ["schedules", "preview", settled],
    queryFn: () =>
      unwrap(api.POST("/api/v1/schedules/preview", { body: JSON.parse(settled) as Timetable })),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
  });
  return {
    preview: error ? undefined : data,
    errors: error ? asProblem(error).fields : {},
    error,
  };
}

interface BlackoutFieldsProps {
  weekly: WeeklyBlackout[];
  dated: DatedBlackout[];
  onWeekly: (weekly: WeeklyBlackout[]) => void;
  onDated: (dated: DatedBlackout[]) => void;
  /** The message at a field: `weekly_blackouts.0.end`. */
  error: (field: string) => React.ReactNode;
}

const NEW_WEEKLY: WeeklyBlackout = { days: ["sat", "sun"], start: "00:00", end: "00:00" };
const NEW_DATED: DatedBlackout = { start: "", end: "" };

const replaced = <T,>(all: readonly T[], index: number, changed: T): T[] =>
  all.map((one, other) => (other === index ? changed : one));

/** Times at which nothing is launched: each week, and between two dates. */
function BlackoutFields({ weekly, dated, onWeekly, onDated, error }: BlackoutFieldsProps) {
  return (
    <fieldset className={classes.blackouts}>
      <legend>Blackouts</legend>
      <p className={classes.hint}>
        Fire times in a blackout are skipped. An end at or before the start is on the next day.
      </p>
      {weekly.map((one, index) => (
        <Weekly
          // biome-ignore lint/suspicious/noArrayIndexKey: blackouts have no identity
          key={index}
          value={one}
          name={`weekly_blackouts.${index}`}
          error={error}
          onChange={(changed) => onWeekly(replaced(weekly, index, changed))}
          onRemove={() => onWeekly(weekly.filter((_, other) => other !== index))}
        />
      ))}
      {dated.map((one, index) => (
        <Dated
          // biome-ignore lint/suspicious/noArrayIndexKey: blackouts have no identity
          key={index}
          value={one}
          name={`dated_blackouts.${index}`}
          error={error}
          onChange={(changed) => onDated(replaced(dated, index, changed))}
          onRemove={() => onDated(dated.filter((_, other) => other !== index))}
        />
      ))}
      {["weekly_blackouts", "dated_blackouts"].map((field) =>
        error(field) ? (
          <p key={field} className={classes.error} role="alert">
            {error(field)}
          </p>
        ) : null,
      )}
      <div className={classes.buttons}>
        <Button variant="default" size="xs" onClick={() => onWeekly([...weekly, NEW_WEEKLY])}>
          Add weekly blackout
        </Button>
        <Button variant="default" size="xs" onClick={() => onDated([...dated, NEW_DATED])}>
          Add dated blackout
        </Button>
      </div>
    </fieldset>
  );
}

interface BlackoutProps<Blackout> {
  value: Blackout;
  name: string;
  error: (field: string) => React.ReactNode;
  onChange: (changed: Blackout) => void;
  onRemove: () => void;
}

function Weekly(props: BlackoutProps<WeeklyBlackout>) {
  const { value, name, error, onChange } = props;
  return (
    <div className={classes.blackout}>
      <Checkbox.Group
        label="Days"
        value={value.days}
        onChange={(days) => onChange({ ...value, days: days as Day[] })}
        error={error(`${name}.days`)}
      >
        <div className={classes.days}>
          {DAYS.map((day) => (
            <Checkbox key={day} value={day} label={dayName(day)} />
          ))}
        </div>
      </Checkbox.Group>
      <Range type="time" {...props} />
    </div>
  );
}

function Dated(props: BlackoutProps<DatedBlackout>) {
  return (
    <div className={classes.blackout}>
      <Range type="datetime-local" {...props} />
    </div>
  );
}

interface RangeProps<Blackout> extends BlackoutProps<Blackout> {
  type: "time" | "datetime-local";
}

/** The start and the end of a blackout, and the button that removes it. */
function Range<Blackout extends { start: string; end: string }>(props: RangeProps<Blackout>) {
  const { type, value, name, error, onChange, onRemove } = props;
  return (
    <div className={classes.range}>
      <TextInput
        type={type}
        label="Start"
        value={value.start}
        onChange={(event) => onChange({ ...value, start: event.currentTarget.value })}
        error={error(`${name}.start`)}
      />
      <TextInput
        type={type}
        label="End"
        value={value.end}
        onChange={(event) => onChange({ ...value, end: event.currentTarget.value })}
        error={error(`${name}.end`)}
      />
      <Button variant="subtle" onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}
