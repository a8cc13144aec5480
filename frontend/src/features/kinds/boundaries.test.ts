import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { KINDS } from "./registry";

const KINDS_FOLDER = dirname(fileURLToPath(import.meta.url));
const ROOT = join(KINDS_FOLDER, "../..");
const REGISTRY = join(KINDS_FOLDER, "registry.ts");

/** A test, or its data, such as `testEstimate.ts`. */
const isOfTests = (file: string) => /\.test\.tsx?$|(^|\/)test[A-Z]\w*\.ts$/.test(file);

const SOURCES = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !isOfTests(file))
  .map((file) => join(ROOT, file))
  .filter((file) => !file.endsWith("schema.d.ts"));

const upperFirst = (text: string) => text[0]?.toUpperCase() + text.slice(1);

/** The places in which code imports a kind's folder, compares with its name, or uses its API types. */
function mentions(source: string, kind: string): string[] {
  const types = upperFirst(kind);
  const patterns = [
    new RegExp(`["'](?:@/features/kinds|\\.\\.?(?:/[\\w.]+)*)/${kind}/[^"']*["']`, "g"),
    new RegExp(`\\bkind["'\\])}]*\\s*(?::|[=!]==?)\\s*["']${kind}["']`, "g"),
    new RegExp(`["']${kind}["']\\s*[=!]==?\\s*[\\w.]*kind\\b`, "g"),
    new RegExp(`\\["${types}\\w*"\\]`, "g"),
  ];
  return patterns.flatMap((pattern) => source.match(pattern) ?? []);
}

describe("a test kind", () => {
  it.each(KINDS.map(({ name }) => name))(
    "%s is named only in its folder and the registry",
    (kind) => {
      const own = join(KINDS_FOLDER, kind);
      const found = SOURCES.filter(
        (file) => !file.startsWith(`${own}/`) && file !== REGISTRY,
      ).flatMap((file) =>
        mentions(readFileSync(file, "utf8"), kind).map(
          (text) => `${relative(ROOT, file)}: ${text}`,
        ),
      );
      expect(found).toEqual([]);
    },
  );

  it.each([
    'import { x } from "@/features/kinds/matrix/x";',
    'import { x } from "../kinds/matrix/x";',
    'if (run.kind === "matrix") return;',
    'if ("matrix" !== run.kind) return;',
    '({ kind: "matrix" })',
    'type T = Schemas["MatrixTest"];',
  ])("is found in: %s", (source) => {
    expect(mentions(source, "matrix")).toHaveLength(1);
  });
});
