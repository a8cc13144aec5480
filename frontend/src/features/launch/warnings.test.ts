import { expect, it } from "vitest";
import type { Estimate, Target } from "@/api/shapes";
import { warningsOf } from "./warnings";

type Warning = Estimate["warnings"][number];

const targets = ["/mnt", "/mnt/a"].map((path) => ({ host_name: "web-1", path }) as Target);
const warning = (code: string, message: string) => ({ code, message }) as Warning;

it("puts the gravest warning first", () => {
  const warnings = [
    warning("rate_assumed", "Write on web-1 /mnt has files sized by an assumed rate."),
    warning("too_short", "Write on web-1 /mnt: 35 of 35 cells would be too short."),
  ];
  expect(warningsOf(warnings, targets)[0]).toMatch(/too short/);
});

it("shows a warning of several targets once", () => {
  const warnings = targets.map(({ host_name, path }) =>
    warning("direct_not_real", `Write on ${host_name} ${path} uses the page cache.`),
  );
  expect(warningsOf(warnings, targets)).toEqual([
    "Write on web-1 /mnt and web-1 /mnt/a uses the page cache.",
  ]);
});

it("keeps warnings with different figures apart", () => {
  const warnings = [1, 2].map((cells) => warning("too_short", `Write on web-1 /mnt: ${cells}.`));
  expect(warningsOf(warnings, targets)).toHaveLength(2);
});
