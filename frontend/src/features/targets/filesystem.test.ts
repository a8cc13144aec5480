import { describe, expect, it } from "vitest";
import type { FileSystem } from "@/api/shapes";
import { holding, mediumOf, objectionTo } from "./describe";

const disk: FileSystem = {
  mount: "/data",
  source: "/dev/sdb1",
  type: "xfs",
  options: "rw,noatime",
  size_bytes: 1e12,
  free_bytes: 5e11,
  uuid: null,
  device: "sdb",
  rotational: true,
  model: null,
  kind: "local",
};

describe("a file system", () => {
  it("contains the paths below its mount point, but not those with the same prefix", () => {
    const root = { ...disk, mount: "/" };
    expect(holding([root, disk], "/data/test")?.mount).toBe("/data");
    expect(holding([root, disk], "/data")?.mount).toBe("/data");
    expect(holding([root, disk], "/database")?.mount).toBe("/");
    expect(holding([disk], "/elsewhere")).toBeUndefined();
  });
  it("contains no incomplete path, not even the root file system", () => {
    const root = { ...disk, mount: "/" };
    expect(holding([root], "")).toBeUndefined();
    expect(holding([root], "data")).toBeUndefined();
    expect(holding([root], "/")).toBe(root);
  });
  it("says what limits or prevents tests", () => {
    expect(objectionTo(disk)).toBeNull();
    expect(objectionTo({ ...disk, options: "ro,noatime" })).toMatch(/read-only/);
    expect(objectionTo({ ...disk, mount: "/" })).toMatch(/requires confirmation/);
    expect(objectionTo({ ...disk, kind: "network" })).toMatch(/cannot be verified/);
  });
  it("names its medium only if it is known", () => {
    expect(mediumOf(disk)).toBe("rotational");
    expect(mediumOf({ ...disk, rotational: null })).toBe("–");
  });
});
