import { describe, expect, it } from "vitest";
import type { Host, Inspection, Target } from "@/api/shapes";
import { knownEnd } from "./ends";
import { hostLines, previewHost, routeSections } from "./RoutePreview";

const hosts = [
  { id: 1, name: "web-1" },
  { id: 2, name: "web-2" },
] as Host[];
const targets = [
  { id: 7, host_id: 1, path: "/mnt/a", device: "sdb", device_info: { model: "ST18000" } },
  { id: 8, host_id: 1, path: "/mnt/b", device: "sdc", device_info: { model: "" } },
  { id: 9, host_id: 2, path: "/mnt/b", device: "sdc", device_info: { model: "" } },
] as Target[];
const inspection = {
  cpus: { count: 16, model: "EPYC" },
  nics: [
    { name: "lo", speed_bits_per_s: null, state: "up" },
    { name: "eth0", speed_bits_per_s: 10e9, state: "up" },
    { name: "eth1", speed_bits_per_s: 25e9, state: "down" },
  ],
} as unknown as Inspection;

const end = (one: Parameters<typeof knownEnd>[0]) => {
  const found = knownEnd(one, hosts, targets);
  if (!found) throw new Error("not known");
  return found;
};
const partsOf = (...ends: Parameters<typeof routeSections>) =>
  routeSections(...ends).map(({ title, parts }) => [
    title,
    parts.map(({ name, detail }) => (detail ? `${name}: ${detail}` : name)),
  ]);

describe("the route of a transfer", () => {
  it("names disks, CPUs and the cards that are up", () => {
    expect(partsOf(end({ target_id: 7 }), end({ host_id: 2 }), inspection, null)).toEqual([
      [
        "Source: web-1",
        ["Source disk: ST18000", "Source CPU: 16 CPUs", "Source card: eth0 10\u00a0Gb/s"],
      ],
      ["Network", ["Link"]],
      ["Sink: web-2", ["Sink card", "Sink CPU", "Sink memory"]],
    ]);
  });

  it("has no cards between two ends on one host", () => {
    expect(partsOf(end({ target_id: 7 }), end({ host_id: 1 }), null, null)).toEqual([
      ["Source: web-1", ["Source disk: ST18000", "Source CPU"]],
      ["Network", ["Link: loopback"]],
      ["Sink: web-1", ["Sink CPU", "Sink memory"]],
    ]);
  });

  it("is unknown while an end is", () => {
    expect(knownEnd({ target_id: 10 }, hosts, targets)).toBeNull();
    expect(knownEnd({ host_id: 3 }, hosts, targets)).toBeNull();
  });
});

it("names of an end of several the parts that the inventory describes", () => {
  expect(previewHost([end({ target_id: 7 })], "Source 1", inspection)).toEqual({
    key: "Source 1",
    title: "web-1 /mnt/a",
    parts: [
      { kind: "disk", words: "ST18000" },
      { kind: "cpu", words: "16 CPUs" },
      { kind: "card", words: "eth0 10\u00a0Gb/s" },
    ],
  });
  expect(previewHost([end({ host_id: 2 })], "Sink 1", null)).toEqual({
    key: "Sink 1",
    title: "web-2 memory",
    parts: [],
  });
});

it("draws a host once, with all of its disks, and one line between two hosts", () => {
  const sources = [end({ target_id: 7 }), end({ target_id: 8 })];
  const sinks = [end({ target_id: 9 }), end({ host_id: 2 })];
  expect(previewHost(sources, "Source 1", inspection)).toEqual({
    key: "Source 1",
    title: "web-1",
    parts: [
      { kind: "disk", words: "/mnt/a: ST18000" },
      { kind: "disk", words: "/mnt/b: sdc" },
      { kind: "cpu", words: "16 CPUs" },
      { kind: "card", words: "eth0 10\u00a0Gb/s" },
    ],
  });
  expect(previewHost(sinks, "Sink 1", null).parts).toEqual([
    { kind: "disk", words: "/mnt/b: sdc" },
    { kind: "memory", words: "memory" },
  ]);
  const pairs: [number, number][] = [
    [0, 0],
    [1, 1],
  ];
  expect(hostLines(sources, sinks, pairs)).toEqual([{ from: 0, to: 0 }]);
  expect(
    hostLines([...sources, end({ host_id: 2 })], sinks.slice(0, 1), [
      [0, 0],
      [1, 0],
      [2, 0],
    ]),
  ).toEqual([
    { from: 0, to: 0 },
    { from: 1, to: 0 },
  ]);
});
