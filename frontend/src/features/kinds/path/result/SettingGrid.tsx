import { cividis, positionOn, scaleOf, widened } from "@/charts/color";
import type { Grid, GridCell } from "@/charts/grid";
import { HeatGrid } from "@/charts/HeatGrid";
import { formatBlock, formatRate, type RateUnit, rateFigure } from "@/components/quantities";
import { type Path, type PathSetting, settingWords } from "@/features/kinds/path/path";
import { isJoint } from "./pairs";
import { doubtOf, legsOf, settingKey } from "./shown";

interface SettingGridProps {
  result: Path;
  unit: RateUnit;
  selected: string;
  onSelect: (key: string) => void;
}

/** The transfer's rate by block size and number of streams. */
export function SettingGrid({ result, unit, selected, onSelect }: SettingGridProps) {
  return (
    <HeatGrid
      grid={settingGrid(result, unit)}
      caption={`Rate of the transfer in ${unit}, by block size and streams`}
      selected={selected}
      onSelect={onSelect}
    />
  );
}

/** A row for each block size, a column for each number of streams. */
export function settingGrid(result: Path, unit: RateUnit): Grid {
  const { settings, best } = result;
  const found = scaleOf(settings.map((one) => one.transfer_bytes_per_s));
  const scale = found && widened(found);
  const blocks = [...new Set(settings.map(({ block }) => block))];
  const streams = [...new Set(settings.map((one) => one.streams))];
  const cellOf = (block: number, count: number | null): GridCell => {
    const index = settings.findIndex((one) => one.block === block && one.streams === count);
    const setting = settings[index];
    const rate = setting?.transfer_bytes_per_s ?? null;
    const leg = setting && legsOf(result, setting).find((one) => one.leg === setting.transfer);
    const doubt = leg && rate !== null ? doubtOf(leg) : null;
    return {
      key: settingKey({ block, streams: count }),
      state: rate === null ? "empty" : "done",
      text: rate === null ? "–" : rateFigure(rate, unit),
      note: doubt,
      fill: rate === null || scale === null ? null : cividis(positionOn(scale, rate)),
      best: setting !== undefined && index === best && doubt === null,
      withinNoise: false,
      badge: null,
      sentence: setting ? sentenceOf(setting, doubt, unit, isJoint(result)) : "not measured",
    };
  };
  return {
    rowTitle: "Block",
    columnTitle: isJoint(result) ? "Streams per pair" : "Streams",
    columns: streams.map((count) => ({ key: String(count), label: String(count ?? "–") })),
    rows: blocks.map((block) => ({
      key: String(block),
      label: formatBlock(block),
      cells: streams.map((count) => cellOf(block, count)),
    })),
  };
}

const DOUBTS: Record<string, string> = {
  cache: "other repeats are inflated by a cache at the sink",
  unreliable: "no repeat is reliable",
};

/** "4 streams, 1 MiB blocks: 545 MB/s, limited by the sink's disk" */
function sentenceOf(
  setting: PathSetting,
  doubt: string | null,
  unit: RateUnit,
  joint: boolean,
): string {
  const { transfer_bytes_per_s: rate, bottleneck } = setting;
  const parts = [rate === null ? "not measured" : formatRate(rate, unit)];
  if (doubt) parts.push(DOUBTS[doubt] ?? doubt);
  if (bottleneck) parts.push(bottleneck.limited);
  return `${settingWords(setting, joint)}: ${parts.join(", ")}`;
}
