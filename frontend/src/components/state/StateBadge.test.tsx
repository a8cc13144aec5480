import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { lookOf, StateBadge } from "./StateBadge";

it("gives pass, fail, inconclusive, waived, running and lost distinct shapes and labels", () => {
  const looks = ["pass", "fail", "inconclusive", "waived", "running", "lost"].map(lookOf);
  expect(new Set(looks.map(({ shape }) => shape)).size).toBe(6);
  expect(new Set(looks.map(({ label }) => label)).size).toBe(6);
  expect(new Set(looks.map(({ color }) => color)).size).toBe(6);
});

it("shows an unknown state by its name", () => {
  rendered(<StateBadge state="half_way" />);
  expect(screen.getByText("half way")).toBeTruthy();
});

it("shows a condition in addition to the state", () => {
  rendered(<StateBadge state="finishing" condition="lost" />);
  expect(screen.getByText("finishing")).toBeTruthy();
  expect(screen.getByText("lost")).toBeTruthy();
});
