import { defineConfig } from "@playwright/test";
import { MEASURING } from "./stack/machine.ts";

const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "specs",
  outputDir: "test-results",
  reporter: [["list"]],
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: !!process.env.CI,
  workers: 2,
  projects: [
    { name: "pages", testIgnore: `specs/${MEASURING}/**` },
    { name: MEASURING, testDir: `specs/${MEASURING}`, workers: 1 },
  ],
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: chromium,
      args: [
        "--no-sandbox",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
