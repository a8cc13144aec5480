import { Button, Checkbox, TextInput } from "@mantine/core";
import type { DatedBlackout, WeeklyBlackout } from "@/api/shapes";
import classes from "./Schedules.module.css";
import { DAYS, type Day, dayName } from "./words";

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
export function BlackoutFields({ weekly, dated, onWeekly, onDated, error }: BlackoutFieldsProps) {
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
