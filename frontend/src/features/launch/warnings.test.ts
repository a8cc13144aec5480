import { expect, it } from "vitest";
import type { Estimate, Target } from "@/api/shapes";
import { kindOf } from "@/features/kinds/registry";
import { parametersIn } from "@/features/parameters/parameters";
import { remedyTexts, warningsOf } from "./warnings";

type Warning = Estimate["warnings"][number];

const targets = ["/mnt", "/mnt/a"].map((path) => ({ host_name: "web-1", path }) as Target);
const warning = (code: string, message: string, remedy = {}) =>
  ({ code, message, remedy }) as Warning;
const messages = (warnings: Warning[]) =>
  warningsOf(warnings, targets).map(({ message }) => message);

it("puts the gravest warning first", () => {
  const warnings = [
    warning("rate_assumed", "Write on web-1 /mnt has files sized by an assumed rate."),
    warning("too_short", "Write on web-1 /mnt: 35 of 35 cells would be too short."),
  ];
  expect(messages(warnings)[0]).toMatch(/too short/);
});

it("shows a warning of several targets once", () => {
  const warnings = targets.map(({ host_name, path }) =>
    warning("direct_not_real", `Write on ${host_name} ${path} uses the page cache.`),
  );
  expect(messages(warnings)).toEqual(["Write on web-1 /mnt and web-1 /mnt/a uses the page cache."]);
});

it("counts the targets of a warning that many share", () => {
  const many = ["/a", "/b", "/c", "/d"].map((path) => ({ host_name: "web-1", path }) as Target);
  const warnings = many.map(({ path }) =>
    warning("fits_in_memory", `Write on web-1 ${path} uses 1 GB.`),
  );
  expect(warningsOf(warnings, many)).toMatchObject([{ message: "Write on 4 targets uses 1 GB." }]);
});

it("keeps warnings with different figures apart", () => {
  const warnings = [1, 2].map((cells) => warning("too_short", `Write on web-1 /mnt: ${cells}.`));
  expect(warningsOf(warnings, targets)).toHaveLength(2);
});

it("merges warnings with a remedy into the one that is sufficient for all", () => {
  const warnings = targets.map(({ host_name, path }, index) =>
    warning("too_short", `Write on ${host_name} ${path}: 4 of 4 cells at ${index} MB/s.`, {
      file_size: [280e6, 6.5e9][index],
    }),
  );
  expect(warningsOf(warnings, targets)).toEqual([
    {
      message:
        "Write on web-1 /mnt/a: 4 of 4 cells at 1 MB/s. The same applies to Write on web-1 /mnt.",
      remedy: { file_size: 6.5e9 },
    },
  ]);
});

it("writes a remedy as the form's text and in words", () => {
  const parameters = parametersIn(kindOf({ kind: "matrix" }).groups);
  const { texts, words } = remedyTexts(parameters, { file_size: 6.5e9 });
  expect(texts).toEqual({ file_size: "6.5 GB" });
  expect(words).toBe("6.50\u00a0GB");
});
