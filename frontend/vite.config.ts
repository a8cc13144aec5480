import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** The API that the development server passes requests on to. */
const api = process.env.ASSAY_API ?? "http://127.0.0.1:8080";

/** Has browsers fetch the chart library while they are idle; only a chart that is shown runs it. */
const prefetchCharts = (): Plugin => ({
  name: "prefetch-charts",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => /\bplotly\b.*\.js$/.test(file))
        .map((file) => ({
          tag: "link",
          attrs: { rel: "prefetch", as: "script", href: `/${file}` },
          injectTo: "head",
        })),
  },
});

const source = fileURLToPath(new URL("./src", import.meta.url));

/** Test files that replace modules, which others must not see. */
const mocking = readdirSync(source, { encoding: "utf8", recursive: true })
  .filter((path) => /\.test\.tsx?$/.test(path))
  .filter((path) => readFileSync(`${source}/${path}`, "utf8").includes("vi.mock("))
  .map((path) => `src/${path}`);

export default defineConfig({
  plugins: [react(), prefetchCharts()],
  resolve: { alias: { "@": source } },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: { "/api": { target: api, changeOrigin: false } },
  },
  build: {
    target: "es2023",
    manifest: true,
    // Only the chart chunk may be this large: it is loaded on demand. `npm run size` guards the rest.
    chunkSizeWarningLimit: 1300,
    // A browser requests six files at a time, so many small ones would delay the first page: there
    // is one style sheet, and what many pages use is one chunk.
    cssCodeSplit: false,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 20 }] } },
    },
  },
  test: {
    restoreMocks: true,
    // Generous, because a busy machine is no failure.
    testTimeout: 60_000,
    // Logic is tested in Node alone; only components pay for a document. Files share what they
    // import, which would take most of the time otherwise, unless they replace a part of it.
    projects: [
      {
        extends: true,
        test: {
          name: "logic",
          environment: "node",
          isolate: false,
          include: ["src/**/*.test.ts", "scripts/*.test.mjs"],
          exclude: mocking,
        },
      },
      {
        extends: true,
        test: {
          name: "components",
          environment: "jsdom",
          isolate: false,
          include: ["src/**/*.test.tsx"],
          exclude: mocking,
          setupFiles: ["src/app/test-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "replaced modules",
          environment: "jsdom",
          include: mocking,
          setupFiles: ["src/app/test-setup.ts"],
        },
      },
    ],
  },
});
