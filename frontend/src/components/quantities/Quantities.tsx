import { Tooltip } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from "react";
import {
  formatBytes,
  formatDuration,
  formatMoment,
  formatRate,
  formatRelative,
  type Quantity,
  RATE_UNITS,
  type RateUnit,
  splitRate,
} from "./formats";
import classes from "./Quantities.module.css";

const NOTHING = "–";

/** A rate (bytes per second) in the user's unit. */
export function Rate({ bytesPerS }: { bytesPerS: number | null | undefined }) {
  const { unit } = useRateUnit();
  return (
    <span className="figures">{bytesPerS == null ? NOTHING : formatRate(bytesPerS, unit)}</span>
  );
}

/** A size in bytes. */
export function Bytes({ bytes }: { bytes: number | null | undefined }) {
  return <span className="figures">{bytes == null ? NOTHING : formatBytes(bytes)}</span>;
}

/** A duration in seconds. */
export function Duration({ seconds }: { seconds: number | null | undefined }) {
  return (
    <span className={`figures ${classes.whole}`}>
      {seconds == null ? NOTHING : formatDuration(seconds)}
    </span>
  );
}

/** A key figure: large, with a small unit. */
export function Headline({ quantity, label }: { quantity: Quantity; label?: string }) {
  return (
    <p className={classes.headline}>
      <span className={classes.value}>{quantity.value}</span>
      <span className={classes.unit}>{quantity.unit}</span>
      {label ? <span className={classes.label}>{label}</span> : null}
    </p>
  );
}

/** A rate as a headline. */
export function RateHeadline({ bytesPerS, label }: { bytesPerS: number; label?: string }) {
  const { unit } = useRateUnit();
  return <Headline quantity={splitRate(bytesPerS, unit)} label={label} />;
}

type Choice = { unit: RateUnit; setUnit: (unit: RateUnit) => void };

const RateUnitContext = createContext<Choice>({ unit: "MB/s", setUnit: () => {} });

/** Provides the user's throughput unit, stored in the browser. */
export function RateUnitProvider({ children }: { children: ReactNode }) {
  const [kept, setUnit] = useLocalStorage<RateUnit>({
    key: "assay-rate-unit",
    defaultValue: "MB/s",
    getInitialValueInEffect: false,
  });
  const unit = RATE_UNITS.includes(kept) ? kept : "MB/s";
  const choice = useMemo(() => ({ unit, setUnit }), [unit, setUnit]);
  return <RateUnitContext value={choice}>{children}</RateUnitContext>;
}

/** The unit chosen in the user's menu, and its setter. */
export const useRateUnit = (): Choice => useContext(RateUnitContext);

const SHOWN_ON = { hover: true, focus: true, touch: true };

/** How long ago; the absolute time on hover, on focus and for screen readers. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (!at) return <span>never</span>;
  const moment = new Date(at);
  return (
    <Tooltip label={formatMoment(moment)} events={SHOWN_ON}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard's way to the tooltip */}
      <time dateTime={at} className={classes.moment} tabIndex={0}>
        {formatRelative(moment, now)}
        <span className="visually-hidden">, {formatMoment(moment)}</span>
      </time>
    </Tooltip>
  );
}

// One timer for all relative times of a page.
const STEP_MS = 5000;
const listeners = new Set<() => void>();
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = new Date();
    timer = setInterval(() => {
      now = new Date();
      for (const each of listeners) each();
    }, STEP_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** Return the current time, updated every five seconds. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now);
