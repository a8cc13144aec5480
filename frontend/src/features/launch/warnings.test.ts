import { expect, it } from "vitest";
import type { Estimate } from "@/api/shapes";
import { kindOf } from "@/features/kinds/registry";
import { parametersIn } from "@/features/parameters/parameters";
import { remedyTexts, warningsOf } from "./warnings";

type Warning = Estimate["warnings"][number];

const PLACES = ["web-1 /mnt", "web-1 /mnt/a"];

/** A warning about a write on a place, which goes on with these words. */
const warning = (code: string, name: string, after: string, remedy = {}) => {
  const about = { target_id: 1, host_id: 1, name, before: "Write on ", after };
  return { code, message: `Write on ${name}${after}`, remedy, about } as Warning;
};
const messages = (warnings: Warning[]) => warningsOf(warnings).map(({ message }) => message);

it("puts the gravest warning first", () => {
  const warnings = [
    warning("rate_assumed", "web-1 /mnt", " has files sized by an assumed rate."),
    warning("too_short", "web-1 /mnt", ": 35 of 35 cells would be too short."),
  ];
  expect(messages(warnings)[0]).toMatch(/too short/);
});

it("shows a warning of several targets once", () => {
  const warnings = PLACES.map((name) => warning("direct_not_real", name, " uses the page cache."));
  expect(messages(warnings)).toEqual(["Write on web-1 /mnt and web-1 /mnt/a uses the page cache."]);
});

it.each([
  ["web. The", "web. The a"],
  ["web: a", "web: b"],
  ["web, mail", "mail, web"],
  ["web and mail", "mail and web"],
  ["web-1 /mnt", "web-1 /mnt/a"],
  ["Write", "cache"],
  ["w(e.b)* \\1 [$", "$& $1"],
])("merges the warnings of places called %s and %s", (one, other) => {
  const after = " uses the page cache of web-1 /mnt.";
  const warnings = [one, other].map((name) => warning("direct_not_real", name, after));
  expect(messages(warnings)).toEqual([`Write on ${one} and ${other}${after}`]);
});

it("keeps warnings about no single place apart, and merges none of them with others", () => {
  const message = "web-1 /mnt and web-1 /mnt/a share sda: their tests run one at a time.";
  const shared = { code: "one_device", message, remedy: {}, about: null } as Warning;
  const other = { ...shared, message: message.replace("/mnt/a", "/mnt/b") };
  expect(messages([shared, other])).toEqual([shared.message, other.message]);
});

it("counts the targets of a warning that many share", () => {
  const warnings = ["/a", "/b", "/c", "/d"].map((path) =>
    warning("fits_in_memory", `web-1 ${path}`, " uses 1 GB."),
  );
  expect(messages(warnings)).toEqual(["Write on 4 targets uses 1 GB."]);
});

it("keeps warnings with different figures apart", () => {
  const warnings = [1, 2].map((cells) => warning("too_short", "web-1 /mnt", `: ${cells}.`));
  expect(warningsOf(warnings)).toHaveLength(2);
});

it("merges warnings with a remedy into the one that is sufficient for all", () => {
  const warnings = PLACES.map((name, index) =>
    warning("too_short", name, `: 4 of 4 cells at ${index} MB/s.`, {
      file_size: [280e6, 6.5e9][index],
    }),
  );
  expect(warningsOf(warnings)).toEqual([
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
