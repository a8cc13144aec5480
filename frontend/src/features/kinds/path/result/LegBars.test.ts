import { describe, expect, it } from "vitest";
import type { PathLeg, PathSetting } from "@/features/kinds/path/path";
import { path } from "@/features/kinds/path/testPath";
import { legBars } from "./LegBars";

const setting = path.settings[0] as PathSetting;
const disk = path.legs[3] as PathLeg;
const bottleneck = setting.bottleneck as NonNullable<PathSetting["bottleneck"]>;
const marked = (changed: Partial<typeof bottleneck>) =>
  legBars(path.legs, { ...setting, bottleneck: { ...bottleneck, ...changed } }, "MB/s")
    .filter(({ isBottleneck }) => isBottleneck)
    .map(({ key }) => key);

describe("the bars of the legs", () => {
  it("mark the leg that measures what limits, and co-limits", () => {
    expect(marked({})).toEqual(["write"]);
    expect(marked({ others: ["link"] })).toEqual(["memory", "write"]);
    expect(marked({ limit: "shared_disk" })).toEqual(["read", "write"]);
  });

  it("mark none where the limit is undetermined or no leg measures it", () => {
    expect(marked({ limit: "undetermined", others: ["link", "sink_disk"] })).toEqual([]);
    expect(marked({ limit: "receiver_cpu" })).toEqual([]);
    expect(
      legBars(path.legs, { ...setting, bottleneck: null }, "MB/s").some((bar) => bar.isBottleneck),
    ).toBe(false);
  });

  it("have the least and the greatest leading rate of several repeats", () => {
    const [read, , , transfer] = legBars(path.legs, setting, "MB/s");
    expect(transfer).toMatchObject({ bytesPerS: 545e6, range: [540e6, 549e6], reason: null });
    expect(transfer?.note?.replaceAll("\u00a0", " ")).toBe("durable; repeats: 3, CV 1.20 %");
    expect(read).toMatchObject({ range: null, note: "repeats: 1" });
  });

  it("have no rate but a reason where nothing counts", () => {
    const of = (more: Partial<PathLeg>) =>
      legBars([{ ...disk, bytes_per_s: null, ...more }], setting, "MB/s")[0];
    const inflated = { code: "faded", message: ["A cache took in the data at first."] };
    expect(of({ trials: disk.trials.map((one) => ({ ...one, inflated })) })).toMatchObject({
      bytesPerS: null,
      range: null,
      reason: "A cache took in the data at first.",
    });
    expect(of({ trials: [], state: "running" })?.reason).toBe("Running");
    expect(of({ trials: [], state: "empty" })?.reason).toBe("Not measured");
    const failed = disk.trials.map((one) => ({ ...one, reason: "port_taken" }));
    expect(of({ trials: failed })?.reason).toBe("port_taken");
  });

  it("say which caveats an unreliable leg has", () => {
    const flags = [{ code: "too_short", rates: ["durable"], evidence: [""], figures: {} }];
    const trials = disk.trials.map((one) => ({ ...one, flags })) as PathLeg["trials"];
    expect(legBars([{ ...disk, reliable: false, trials }], setting, "MB/s")[0]?.note).toMatch(
      /; too short$/,
    );
  });
});
