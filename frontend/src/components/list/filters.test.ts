import { expect, it } from "vitest";
import { activeFilters } from "./filters";

const STATE = {
  name: "state",
  label: "State",
  options: [{ value: "cancelled", label: "canceled" }],
};
const VERDICT = {
  name: "verdict",
  label: "Verdict",
  several: true,
  options: [
    { value: "fail", label: "fail" },
    { value: "pass", label: "pass" },
  ],
};
const HOST = { name: "host_id", label: "Host", options: [] };

const texts = (search: Record<string, string>) =>
  activeFilters(search, [STATE, HOST], "Launched").map(({ text }) => text);

it("names each filter and its value as the page does", () => {
  expect(texts({ q: "vault", state: "cancelled", within: "7d", sort: "name" })).toEqual([
    "Words: vault",
    "State: canceled",
    "Launched: last 7 days",
  ]);
});

it("shows the dates", () => {
  expect(texts({ from: "2026-11-01", to: "2026-11-30" })).toEqual([
    "Launched from 2026-11-01",
    "Launched to 2026-11-30",
  ]);
});

it("shows a value that has no option, such as the id of a deleted host", () => {
  expect(texts({ host_id: "5" })).toEqual(["Host: 5"]);
});

it("shows the label that a list is filtered by", () => {
  expect(texts({ label: "rack=b7" })).toEqual(["Label: rack=b7"]);
});

it("shows each of several values, to be removed by itself", () => {
  const active = activeFilters({ verdict: "fail,pass", label: "rack=b7,owner=Doe\\, J" }, [
    VERDICT,
  ]);
  expect(active.map(({ text, without }) => [text, without])).toEqual([
    ["Verdict: fail", { verdict: "pass" }],
    ["Verdict: pass", { verdict: "fail" }],
    ["Label: rack=b7", { label: "owner=Doe\\, J" }],
    ["Label: owner=Doe, J", { label: "rack=b7" }],
  ]);
  const [only] = activeFilters({ verdict: "fail" }, [VERDICT]);
  expect(only?.without).toEqual({ verdict: undefined });
});
