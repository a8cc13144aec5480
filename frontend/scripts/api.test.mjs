// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generate } from "./api.mjs";

it("knows the API as this checkout's backend describes it (else: npm run api)", async () => {
  for (const [name, text] of Object.entries(await generate())) {
    expect(text).toBe(readFileSync(new URL(`../src/api/${name}`, import.meta.url), "utf8"));
  }
}, 60_000);
