import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Headline } from "@/api/shapes";
import { headlineText } from "./results";

/** Results of every kind, made by the rules: `backend/tests/golden` has the runs. */
const GOLDEN = join(import.meta.dirname, "../../../../backend/tests/golden");
const STORED = join(GOLDEN, "headlines.txt");

const plain = (text: string) => text.replaceAll("\u00a0", " ");

function headline(file: string): string {
  const result = JSON.parse(readFileSync(join(GOLDEN, "stored", file), "utf8"));
  const of = result.headline as Headline | null;
  return of ? plain(headlineText(of, "MB/s")) : "none";
}

describe("the headlines of golden runs", () => {
  it("are as stored; GOLDEN=write stores what is now", () => {
    const files = readdirSync(join(GOLDEN, "stored")).filter((file) => file.endsWith(".json"));
    const now = files.sort().map((file) => `${file.replace(".json", "")}: ${headline(file)}\n`);
    if (process.env.GOLDEN === "write") writeFileSync(STORED, now.join(""));
    expect(now.join("")).toBe(readFileSync(STORED, "utf8"));
  });
});
