import { expect, test } from "vitest";
import type { Metric } from "@/api/shapes";
import { completions, mistakeText } from "./CriteriaField";

const metrics = ["durable.mean", "durable.min", "write.p99"].map((name) => ({ name }) as Metric);

test("a metric is completed from any part of its name, until it is complete", () => {
  expect(completions(metrics, "dur")).toEqual(["durable.mean", "durable.min"]);
  expect(completions(metrics, "mean")).toEqual(["durable.mean"]);
  expect(completions(metrics, "")).toHaveLength(3);
  expect(completions(metrics, "durable.mean >")).toEqual([]);
});

test("a mistake names its place and the remedy", () => {
  const mistake = { position: 17, message: "unknown unit 'QB'", remedy: "Use MB/s." };
  expect(mistakeText(mistake)).toBe("unknown unit 'QB' (character 18). Use MB/s.");
});
