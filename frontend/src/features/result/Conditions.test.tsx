import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { Run, RunParameters } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { kindOf, parametersOf } from "@/features/kinds/registry";
import { valueText } from "@/features/parameters/parameters";
import { Conditions } from "./Conditions";

vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: "a",
}));

const parameters = {
  ...kindOf({ kind: "matrix" }).initial,
  block: [65_536],
  threads: [1, 2],
  file_size: 16_777_216_000,
  file_size_asked: "2 * ram",
  cache: "page",
  cache_asked: "page",
  repeats: 5,
} as RunParameters;

const UNREAD = { labels: {}, references: {}, conditions: { start: null, end: null } };
const ALPHA = { ...UNREAD, id: 7, host: { id: 1, name: "alpha" }, target: { path: "/mnt/a" } };
const BETA = { ...UNREAD, id: 8, host: { id: 2, name: "beta" }, target: { path: "/mnt/b" } };

function runOf(parts: object) {
  const run = {
    parameters,
    participants: [ALPHA, BETA],
    started_at: null,
    ended_at: null,
    conditions: {},
    notices: [],
    ...parts,
  };
  return run as unknown as Run;
}

it("names parameters and values as in the launch form and the profile", () => {
  rendered(<Conditions run={runOf({ participants: [{ ...ALPHA, target: null }] })} />);
  for (const parameter of parametersOf(kindOf(parameters))) {
    const shown = screen.getByText(parameter.label).nextElementSibling?.textContent;
    const size = "16.8\u00a0GB"; // computed from an expression, so not the value that was entered
    expect(shown).toBe(parameter.name === "file_size" ? size : valueText(parameters, parameter));
  }
});

it("names the target of a probe's notice where the run has several", () => {
  const notices = [
    { at: "2026-11-21T01:17:30Z", participant_id: 8, code: "starved", message: "no CPU" },
    { at: "2026-11-21T01:17:31Z", participant_id: null, code: "resumed", message: "resumed" },
  ];
  rendered(<Conditions run={runOf({ notices })} />);
  expect(screen.queryByText("beta /mnt/b: no CPU")).not.toBeNull();
  expect(screen.queryByText("resumed")).not.toBeNull();
});

it("keeps the values of several participants apart", () => {
  const conditions = {
    fs_options: ["rw,relatime", "rw,noatime"],
    array: ["Vault, shelf 2", null],
  };
  rendered(<Conditions run={runOf({ conditions })} />);
  const shown = (label: string) => screen.getByText(label).nextElementSibling?.textContent;
  expect(shown("Mount options")).toBe("rw,relatime; rw,noatime");
  expect(shown("Array")).toBe("Vault, shelf 2; none");
});

it("leaves out the memory of a host where only a target has a value", () => {
  const conditions = {
    scheduler: [null, null, "mq-deadline"],
    array: [null, null, null],
    cpus: [2, 2, 4],
  };
  const memory = { ...ALPHA, target: null };
  rendered(<Conditions run={runOf({ conditions, participants: [memory, memory, BETA] })} />);
  const shown = (label: string) => screen.getByText(label).nextElementSibling?.textContent;
  expect(shown("I/O scheduler")).toBe("mq-deadline");
  expect(shown("Array")).toBe("none");
  expect(shown("CPUs")).toBe("2; 2; 4");
});

it("shows an event that repeats once, with its number", () => {
  const notice = { participant_id: null, code: "prepared", message: "files were written" };
  const notices = [10, 20, 30].map((second) => ({ ...notice, at: `2026-11-21T01:17:${second}Z` }));
  notices.splice(1, 0, { ...notice, at: "2026-11-21T01:17:15Z", message: "caches were dropped" });
  rendered(<Conditions run={runOf({ notices })} />);
  const events = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(events).toHaveLength(2);
  expect(events[0]).toMatch(/files were written \(3 times, last /);
  expect(events[1]).toMatch(/caches were dropped$/);
});

it("shows the conditions of a host once, however many of its memories take part", () => {
  const reading = {
    governors: [{ name: "performance", cpus: 4 }],
    vm: { dirty_ratio: null },
    temperatures: [],
    health: [],
    unreadable: [{ what: "vm.dirty_ratio", reason: "Permission denied" }],
  };
  const memory = {
    labels: {},
    references: {},
    conditions: { start: reading, end: reading },
    target: null,
  };
  const participants = [
    { ...memory, id: 7, host: { id: 1, name: "alpha" }, role: "sender" },
    { ...memory, id: 8, host: { id: 1, name: "alpha" }, role: "receiver" },
    { ...memory, id: 9, host: { id: 2, name: "beta" }, role: "receiver" },
  ];
  rendered(<Conditions run={runOf({ participants })} />);
  const governors = screen.getAllByRole("row", { name: /^CPU governor/, hidden: true });
  expect(governors.map(({ textContent }) => textContent)).toEqual([
    "CPU governorperformance (all 4 CPUs)performance (all 4 CPUs)",
  ]);
  expect(screen.queryByRole("row", { name: /dirty_ratio/, hidden: true })).toBeNull();
  expect(screen.getByText(/^Not readable: vm\.dirty_ratio/)).toBeTruthy();
  expect(screen.getByText("Permission denied")).toBeTruthy();
  expect(screen.queryByText("Source → sink")).not.toBeNull();
});

it("names the host of a condition that others do not share", () => {
  const reading = (name: string) => ({
    governors: [{ name, cpus: 4 }],
    vm: { dirty_ratio: 20 },
    temperatures: [],
    health: [],
    unreadable: [],
  });
  const participants = [ALPHA, BETA].map((one, place) => {
    const own = reading(place === 0 ? "performance" : "powersave");
    return { ...one, conditions: { start: own, end: own } };
  });
  rendered(<Conditions run={runOf({ participants })} />);
  const hostOf = (row: HTMLElement) => row.lastElementChild?.textContent;
  const rows = (name: RegExp) => screen.getAllByRole("row", { name, hidden: true }).map(hostOf);
  expect(rows(/^CPU governor/)).toEqual(["alpha /mnt/a", "beta /mnt/b"]);
  expect(rows(/^vm.dirty_ratio/)).toEqual(["all"]);
});

it("shows the labels of the launch, several values of a key as well", () => {
  const participants = [
    { ...ALPHA, labels: { host: { rack: "b7" }, array: { tier: "gold" } } },
    { ...BETA, labels: { host: { rack: "b8" }, array: { tier: "gold" } } },
  ].map((one) => ({ ...one, references: { array: "PO-7" } }));
  rendered(<Conditions run={runOf({ participants })} />);
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "rack=b7",
    "rack=b8",
    "tier=gold",
  ]);
  expect(screen.getByText("Array reference").nextSibling?.textContent).toBe("PO-7");
  expect(screen.queryByText("Target labels")).toBeNull();
});
