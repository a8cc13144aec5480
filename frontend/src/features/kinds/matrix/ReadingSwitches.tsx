import { SegmentedControl, Select } from "@mantine/core";
import { RATE_UNITS } from "@/components/quantities";
import classes from "./Matrix.module.css";
import { type RateKind, type Reading, STATISTICS, type Statistic } from "./matrix";

interface ReadingSwitchesProps {
  reading: Reading;
  rates: readonly RateKind[];
  onChange: (change: Partial<Reading>) => void;
}

const RATE_LABELS: Record<RateKind, string> = { durable: "Durable", application: "Application" };
const STATISTIC_LABELS: Record<Statistic, string> = {
  mean: "Mean",
  median: "Median",
  worst: "Worst",
};

/** Which rate, which statistic of the repeats, which unit. */
export function ReadingSwitches({ reading, rates, onChange }: ReadingSwitchesProps) {
  return (
    <div className={classes.switches}>
      {rates.length > 1 ? (
        <SegmentedControl
          size="xs"
          aria-label="Rate: durable includes the final sync; application ends with the last write"
          value={reading.rate}
          onChange={(rate) => onChange({ rate: rate as RateKind })}
          data={rates.map((rate) => ({ value: rate, label: RATE_LABELS[rate] }))}
        />
      ) : null}
      <SegmentedControl
        size="xs"
        aria-label="Statistic of the repeats"
        value={reading.stat}
        onChange={(stat) => onChange({ stat: stat as Statistic })}
        data={STATISTICS.map((stat) => ({ value: stat, label: STATISTIC_LABELS[stat] }))}
      />
      <Select
        size="xs"
        w={92}
        aria-label="Throughput unit"
        value={reading.unit}
        onChange={(unit) => onChange({ unit: unit as Reading["unit"] })}
        data={[...RATE_UNITS]}
      />
    </div>
  );
}
