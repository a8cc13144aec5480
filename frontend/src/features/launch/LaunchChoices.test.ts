import { expect, it } from "vitest";
import type { Host, Target } from "@/api/shapes";
import { readersFor } from "./LaunchChoices";

const at = (id: number, host_id: number, fs_source: string, fs_uuid: string | null = null) =>
  ({ id, host_id, path: `/mnt/${id}`, fs_type: "nfs4", fs_source, fs_uuid }) as Target;

it("offers targets of other hosts, those of the same file system first", () => {
  const hosts = [1, 2, 3].map((id) => ({ id, name: `box${id}` })) as Host[];
  const targets = [at(1, 1, "nas:/a"), at(2, 1, "nas:/a"), at(3, 2, "nas:/b"), at(4, 3, "nas:/a")];
  const offered = readersFor(targets, hosts, [1]);
  expect(offered.map(({ value }) => value)).toEqual(["4", "3"]);
  expect(offered[0]?.label).toBe("box3 /mnt/4 \u00b7 nfs4 nas:/a \u00b7 same file system");
  expect(offered[1]?.label).toBe("box2 /mnt/3 \u00b7 nfs4 nas:/b");
  const [local] = readersFor([at(1, 1, "/dev/vda"), at(4, 3, "/dev/vda")], hosts, [1]);
  expect(local?.label).toBe("box3 /mnt/4 \u00b7 nfs4 /dev/vda");
});
