import { describe, expect, it } from "vitest";
import type { Path, PathLeg, PathSetting } from "@/features/kinds/path/path";
import { path } from "@/features/kinds/path/testPath";
import { pathSections } from "./pathParts";

const setting = path.settings[0] as PathSetting;
const partsOf = (index: number, result: Path = path, of: PathSetting = setting) => {
  const leg = result.legs[index] as PathLeg;
  const trial = leg.trials[0] as PathLeg["trials"][number];
  const ends = { sender: "cern-1", receiver: "cit-1" };
  const shown = { setting: of, leg, trial, ends, sameHost: result.same_host };
  return pathSections(shown, "MB/s").flatMap(({ parts }) => parts);
};
const plain = (text: string | null) => text?.replaceAll("\u00a0", " ") ?? null;

describe("the drawn path", () => {
  it("has a part for everything that the data passes, with its load", () => {
    expect(partsOf(3).map(({ name, load, note }) => [name, plain(load), plain(note)])).toEqual([
      ["Source disk", "45.0 %", "of the time in calls; waited 55.0 % on a full ring"],
      ["Source CPU", "44.0 %", "busiest core; all CPUs 35.0 %; probe 0.390 cores"],
      ["Source card", "544 MB/s", "43.5 % of its speed"],
      ["Link", "544 MB/s", "round trip 171 ms; 0.02 % retransmitted"],
      ["Sink card", "544 MB/s", "43.5 % of its speed"],
      ["Sink CPU", "44.0 %", "busiest core; all CPUs 35.0 %; probe 0.390 cores"],
      ["Sink disk", "98.0 %", "of the time in calls; waited 2.00 % on an empty ring"],
    ]);
  });

  it("marks the part that limits the transfer, in the transfer alone", () => {
    const named = (index: number) =>
      partsOf(index)
        .filter(({ isBottleneck }) => isBottleneck)
        .map(({ name }) => name);
    expect(named(3)).toEqual(["Sink disk"]);
    expect(named(2)).toEqual([]);
  });

  it("says which parts have none in a leg, and claims no load of memory", () => {
    const [source, cpu, card, link] = partsOf(2);
    for (const part of [source, cpu, card, link]) {
      expect(part).toMatchObject({ load: null, share: null, note: "not used in this leg" });
    }
    const [memory] = partsOf(1);
    expect(memory).toMatchObject({ name: "Source memory", load: null, note: null });
  });

  it("has no cards on one host, and no share of a speed that is not reported", () => {
    const names = partsOf(3, { ...path, same_host: true }).map(({ name }) => name);
    expect(names).toEqual(["Source disk", "Source CPU", "Loopback", "Sink CPU", "Sink disk"]);
    const leg = path.legs[3] as PathLeg;
    const first = leg.trials[0] as PathLeg["trials"][number];
    const sender = first.sender as NonNullable<typeof first.sender>;
    const card = { name: "veth0", speed_bits_per_s: null, mtu_bytes: 1500, numa_node: null };
    const trials = [{ ...first, sender: { ...sender, card } }];
    const legs = [...path.legs.slice(0, 3), { ...leg, trials }];
    expect(partsOf(3, { ...path, legs })[2]).toMatchObject({
      detail: "veth0",
      share: null,
      note: "speed not reported",
    });
  });
});
