import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { figure, formatBytes, formatRate, type RateUnit } from "@/components/quantities";
import { StateShape } from "@/components/state/StateBadge";
import type { Shape } from "@/components/state/states";
import { FigureTable } from "@/components/table/FigureTable";
import type { CarriedRate } from "@/features/kinds/sustained/shapes";
import classes from "./SustainedResult.module.css";

const LOOKS: Record<CarriedRate["carried"], { shape: Shape; color: string; word: string }> = {
  yes: { shape: "disc", color: "--pass", word: "yes" },
  buffered: { shape: "half", color: "--pass", word: "with a buffer" },
  no: { shape: "cross", color: "--fail", word: "no" },
  undecided: { shape: "diamond", color: "--inconclusive", word: "undecided" },
  not_tested: { shape: "ring", color: "--waived", word: "not tested" },
};

const REASONS: Record<NonNullable<CarriedRate["reason"]>, string> = {
  above_offered: "above the offered rate",
  page_cache: "served by the page cache",
  interrupted: "the trial was interrupted",
  short_overlap: "the participants overlapped too little",
  not_recorded: "no simulated queue",
  not_drained: "a stream's queue was not empty at the end",
};

/**
 * Whether the storage carries the rates of lines and cameras, and with how much memory. `nameOf`
 * names one of several participants, which get equal parts of the rate.
 */
export function CarryTable({
  carry,
  unit,
  nameOf,
  onJump,
}: {
  carry: readonly CarriedRate[];
  unit: RateUnit;
  nameOf?: ((participant: number) => string | null) | undefined;
  onJump: (row: CarriedRate) => void;
}) {
  const [basis, setBasis] = useState<"lines" | "video">("lines");
  const rows = carry.filter((row) => (row.basis === "video") === (basis === "video"));
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="Rates of lines or of cameras"
        value={basis}
        onChange={(value) => setBasis(value as "lines" | "video")}
        data={[
          { value: "lines", label: "Lines" },
          { value: "video", label: "Video" },
        ]}
      />
      <FigureTable caption="Rates that the storage carries">
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col">Rate</th>
            <th scope="col">Carried</th>
            <th scope="col">{nameOf ? "Margin, spread evenly" : "Margin"}</th>
            {nameOf ? <th scope="col">Margin, aggregate</th> : null}
            <th scope="col">Buffer</th>
            <th scope="col">Peak × rate</th>
            <th scope="col">Decided by</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const { shape, color, word } = LOOKS[row.carried];
            return (
              <tr key={row.key}>
                <th scope="row">
                  {row.label}
                  {row.basis === "line" ? " (line rate)" : null}
                </th>
                <td>{formatRate(row.bytes_per_s, unit)}</td>
                <td>
                  <span className={classes.sign} style={{ color: `var(${color})` }}>
                    <StateShape shape={shape} />
                    {word}
                  </span>
                </td>
                <td>{marginText(row.margin)}</td>
                {nameOf ? <td>{marginText(row.aggregate_margin)}</td> : null}
                <td>{bufferText(row)}</td>
                <td>{row.by_peak_bytes === null ? "–" : formatBytes(row.by_peak_bytes)}</td>
                <td>
                  {row.reason ? (
                    <span className={classes.reason}>{REASONS[row.reason]}</span>
                  ) : null}
                  {row.decides ? (
                    <button type="button" onClick={() => onJump(row)}>
                      {deciderText(row, nameOf)}
                      {formatBytes(row.decides.begin_bytes)} to {formatBytes(row.decides.end_bytes)}
                    </button>
                  ) : null}
                  {row.reason || row.decides ? null : "–"}
                </td>
              </tr>
            );
          })}
        </tbody>
      </FigureTable>
    </>
  );
}

/** "web-1 /mnt/a: " */
function deciderText({ decides }: CarriedRate, nameOf?: (participant: number) => string | null) {
  const name = decides?.participant_id ? nameOf?.(decides.participant_id) : null;
  return name ? `${name}: ` : "";
}

/** From this margin on, the capacity is given as a multiple of the rate. */
const LARGE = 9;

/** A smaller margin has no sign: "+0 %" would contradict a "no" beside it. */
const LEAST_SHOWN = 0.1;

/** "+12 %": how far the capacity is above the rate; "195 times" if it is far above. */
export function marginText(margin: number | null): string {
  if (margin === null) return "–";
  if (margin >= LARGE) return `${figure(margin + 1)} times`;
  const percent = Math.abs(margin) * 100;
  if (percent < LEAST_SHOWN) return `under ${LEAST_SHOWN}\u00a0%`;
  const shown = percent < 1 ? percent.toFixed(1) : percent.toFixed(0);
  return `${margin < 0 ? "\u2212" : "+"}${shown}\u00a0%`;
}

/** The memory that bridges all stalls: exact, between two simulated rates, or at least so much. */
export function bufferText(row: CarriedRate): string {
  const { carried, buffer_least_bytes: least, buffer_most_bytes: most } = row;
  if (carried === "yes") return "none";
  if (carried === "undecided" && least !== null) return `at least ${formatBytes(least)}`;
  if (carried !== "buffered" || least === null) return "–";
  if (most === null) return `at least ${formatBytes(least)}`;
  return row.exact ? formatBytes(most) : `${formatBytes(least)} to ${formatBytes(most)}`;
}
