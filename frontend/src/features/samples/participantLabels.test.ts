import { expect, it } from "vitest";
import { participantLabels } from "./participantLabels";

const labels = (...places: [host: string, path: string | null][]) =>
  participantLabels(places.map(([host, path]) => ({ host, path })));

it("are the hosts if these differ", () => {
  expect(labels(["web-1", "/a"], ["web-2", "/a"])).toEqual(["web-1", "web-2"]);
});

it("are the ends of the directories of one host", () => {
  expect(labels(["this machine", "/tmp/x/a"], ["this machine", "/tmp/x/b"])).toEqual(["a", "b"]);
});

it("have both if neither alone tells them apart", () => {
  expect(labels(["n1", "/a"], ["n1", "/b"], ["n2", "/a"])).toEqual(["n1 a", "n1 b", "n2 a"]);
});

it("keep the part that differs of a long name", () => {
  expect(labels(["storage-node-0017", null], ["storage-node-0018", null])).toEqual([
    "…ge-node-0017",
    "…ge-node-0018",
  ]);
});

it("are the roles of two ends of a transfer on one host", () => {
  const ends = [
    { host: "web-1", path: "/a", role: "sender" },
    { host: "web-1", path: "/b", role: "receiver" },
  ];
  expect(participantLabels(ends)).toEqual(["sends", "receives"]);
});

it("are the other ends where several pairs share a source or a sink", () => {
  const pair = (source: string, sink: string) => [
    { host: source, path: null, role: "sender" },
    { host: sink, path: null, role: "receiver" },
  ];
  expect(participantLabels([...pair("web-1", "db"), ...pair("web-2", "db")])).toEqual([
    "web-1",
    "from web-1",
    "web-2",
    "from web-2",
  ]);
  expect(participantLabels([...pair("db", "web-1"), ...pair("db", "web-2")])).toEqual([
    "to web-1",
    "web-1",
    "to web-2",
    "web-2",
  ]);
});
