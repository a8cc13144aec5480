// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generate } from "./api.mjs";

it("knows the API as this checkout's backend describes it (else: npm run api)", async () => {
  const kept = readFileSync(new URL("../src/api/schema.d.ts", import.meta.url), "utf8");
  expect(await generate()).toBe(kept);
}, 60_000);
