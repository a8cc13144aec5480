import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Declared, FORMATS } from "./formats";

const field = (format: string, more: Partial<Declared> = {}) => {
  const found = FORMATS[format]?.({ name: "it", label: "It", format, ...more });
  if (!found) throw new Error(`No format ${format}.`);
  return found;
};

it("reads auto as the choice of the host", () => {
  const size = field("size", { automatic: "is the host's.", bounds: [0, 2 ** 30] });
  expect([size.parse("auto"), size.parse("0"), size.parse("4 MB")]).toEqual([
    { value: 0 },
    { value: 0 },
    { value: 4_000_000 },
  ]);
  const rate = field("rate", { automatic: "is the host's.", bounds: [0, 1e12] });
  expect([rate.parse(" Auto "), rate.parse("5 Gb/s")]).toEqual([
    { value: 0 },
    { value: 625_000_000 },
  ]);
  const name = field("name", { automatic: "is the host's." });
  const error = "Enter a name such as cubic, or auto.";
  expect(["auto", "0", "bbr", "B B", "cu bic"].map(name.parse)).toEqual([
    { value: null },
    { value: null },
    { value: "bbr" },
    { error },
    { error },
  ]);
  const address = field("address", { automatic: "is another." });
  expect(["0", "10.0.0.1", "10.0.0.1 0"].map(address.parse)).toEqual([
    { value: null },
    { value: "10.0.0.1" },
    { error: "Enter an IP address such as 192.0.2.7, or auto." },
  ]);
  expect([size.text(0), rate.text(0), name.text(null), name.text("bbr")]).toEqual([
    "auto",
    "auto",
    "auto",
    "bbr",
  ]);
});

it("takes CPU 0 for a CPU, not for the choice of the host", () => {
  const cpus = field("cpus", { automatic: "is the host's." });
  const texts = ["0", "0-3, 8", "NODE:1", "Card", "auto", "cpu 3"];
  expect(texts.map(cpus.parse)).toEqual([
    { value: "0" },
    { value: "0-3,8" },
    { value: "node:1" },
    { value: "card" },
    { value: null },
    { error: "Enter CPUs such as 0-3,8, a node such as node:0, card, or auto." },
  ]);
});

it("names the bounds as the help does", () => {
  expect(field("count", { bounds: [1, 10_000_000] }).parse("0")).toEqual({
    error: "0 is not a whole number from 1 to 10\u202f000\u202f000.",
  });
});

it("writes values as the server does in reports", () => {
  const golden = join(import.meta.dirname, "../../../../backend/tests/golden/parameters.json");
  const rows: [string, unknown, string][] = JSON.parse(readFileSync(golden, "utf8"));
  const texts = rows.map(([format, value]) => {
    const { measured, text } = field(format, { bounds: [0, 2 ** 62] });
    return (measured?.(value) ?? text(value)).replaceAll("\u00a0", " ");
  });
  expect(texts).toEqual(rows.map(([, , text]) => text));
});
