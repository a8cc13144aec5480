import { expect, it } from "vitest";
import type { Path } from "@/features/kinds/path/path";
import { path } from "@/features/kinds/path/testPath";
import { settingGrid } from "./SettingGrid";

const cellOf = (changed: Partial<Path["legs"][number]>) => {
  const legs = path.legs.map((leg) => (leg.leg === "disk" ? { ...leg, ...changed } : leg));
  return settingGrid({ ...path, legs }, "MB/s").rows[0]?.cells[0];
};

it("marks the best setting and says what limits it", () => {
  expect(cellOf({})).toMatchObject({ text: "545", best: true, note: null });
  expect(cellOf({})?.sentence).toMatch(/limited by the sink's disk$/);
});

it("marks no setting as best whose rate is no result", () => {
  expect(cellOf({ inflated: true })).toMatchObject({ best: false, note: "cache" });
  expect(cellOf({ reliable: false })).toMatchObject({ best: false, note: "unreliable" });
});
