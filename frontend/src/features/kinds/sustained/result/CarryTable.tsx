import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { formatBytes, formatRate, type RateUnit, wordsText } from "@/components/quantities";
import { type Shape, StateShape } from "@/components/state/StateBadge";
import { FigureTable } from "@/components/table/FigureTable";
import classes from "@/features/kinds/sustained/Sustained.module.css";
import type { CarriedRate } from "@/features/kinds/sustained/sustained";

const LOOKS: Record<CarriedRate["carried"], { shape: Shape; color: string; word: string }> = {
  yes: { shape: "disc", color: "--pass", word: "yes" },
  buffered: { shape: "half", color: "--pass", word: "with a buffer" },
  no: { shape: "cross", color: "--fail", word: "no" },
  undecided: { shape: "diamond", color: "--inconclusive", word: "undecided" },
  not_tested: { shape: "ring", color: "--waived", word: "not tested" },
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
                <td>{row.margin_words ?? "–"}</td>
                {nameOf ? <td>{row.aggregate_margin_words ?? "–"}</td> : null}
                <td>{row.buffer_words ? wordsText(row.buffer_words, unit) : "–"}</td>
                <td>{row.by_peak_bytes === null ? "–" : formatBytes(row.by_peak_bytes)}</td>
                <td>
                  {row.reason ? <span className={classes.reason}>{row.why}</span> : null}
                  {row.decides ? (
                    <button type="button" onClick={() => onJump(row)}>
                      {deciderText(row, nameOf)}
                      {wordsText(row.decides.words, unit)}
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
