/** The appliance's benchmarks: the specs' browser and stack, with measurements. */

import { defineConfig } from "@playwright/test";
import specs from "../../playwright.config.ts";

export default defineConfig(specs, {
  testDir: ".",
  testMatch: "*.bench.ts",
  outputDir: "../../test-results/bench",
  timeout: 600_000,
  retries: 0,
  use: { trace: "off" },
});
