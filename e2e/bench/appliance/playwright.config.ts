/** The appliance's benchmarks: the specs' browser and stack, with measurements. */

import { defineConfig } from "@playwright/test";
import specs from "../../playwright.config.ts";

const { projects: _, ...shared } = specs;

export default defineConfig(shared, {
  testDir: ".",
  testMatch: "*.bench.ts",
  outputDir: "../../test-results/bench",
  timeout: 600_000,
  retries: 0,
  workers: 1,
  use: { trace: "off" },
});
