import { describe, expect, it } from "vitest";
import type { Samples } from "@/api/shapes";
import { timeAxis } from "@/charts/figure";
import type { PathPair, PathSetting, PathTrial } from "@/features/kinds/path/path";
import { path, trial } from "@/features/kinds/path/testPath";
import type { EndSamples } from "@/features/transfers/courses";
import type { Limit } from "@/features/transfers/TransferFacts";
import { jointStrips } from "./JointChart";
import { fairnessWords, ownWords } from "./PairTable";
import { endsOfPair, fanOf, isJoint, pairLabels, shownPair } from "./pairs";
import { endsOf } from "./pathSamples";

const pair = (id: number, source: string, rate: number, share: number): PathPair => ({
  sender_id: id,
  receiver_id: id + 1,
  source,
  sink: "db /mnt",
  source_host: source,
  sink_host: "db",
  status: "complete",
  reason: null,
  bytes: 4e9,
  application_bytes_per_s: rate,
  durable_bytes_per_s: null,
  share,
  start_delay_ns: 1e6,
  served_by: null,
  sender: null,
  receiver: null,
  link: null,
  wrong_blocks: 0,
  sent_bytes_per_s: rate,
  starved_roles: [],
});

const joint: PathTrial = {
  ...trial(9, 1, 400e6),
  pairs: [pair(1, "web-1", 300e6, 0.75), pair(3, "web-2", 100e6, 0.25)],
  fairness: 0.8,
  window_ns: 58.2e9,
  slowest_pair: 1,
};
const end = (id: number, host: string, role: "sender" | "receiver") => ({
  id,
  host,
  path: role === "receiver" ? "/mnt" : null,
  role,
  clock_uncertainty_ns: null,
  devices: [],
});
const both = {
  ...path,
  participants: [
    end(1, "web-1", "sender"),
    end(2, "db", "receiver"),
    end(3, "web-2", "sender"),
    end(4, "db", "receiver"),
  ],
};

/** The setting of the transfer that these pairs make, with its limit; of disks, with the slow ones. */
const limitedBy = (limit: Limit, ...disks: string[]): PathSetting => {
  const [setting] = path.settings;
  if (!setting?.bottleneck) throw new Error("has no setting");
  const bottleneck = { ...setting.bottleneck, limit, disks };
  return { ...setting, transfer: "memory_to_disk", bottleneck };
};

describe("pairs that run together", () => {
  it("are told apart by what they do not share", () => {
    expect(isJoint(both)).toBe(true);
    expect(isJoint(path)).toBe(false);
    expect(pairLabels(both)).toEqual(["web-1", "web-2"]);
    const [one, other] = [end(1, "db", "sender"), end(3, "db", "sender")];
    const participants = [one, end(2, "web-1", "receiver"), other, end(4, "web-2", "receiver")];
    expect(pairLabels({ ...both, participants })).toEqual(["web-1", "web-2"]);
  });

  it("are selected by their position, the first by default", () => {
    expect(shownPair(joint, undefined)?.source).toBe("web-1");
    expect(shownPair(joint, "1")?.source).toBe("web-2");
    expect(shownPair(joint, "7")?.source).toBe("web-1");
    const ends = endsOf(both, { leg: "disk" });
    const second = shownPair(joint, "1") as PathPair;
    expect(endsOfPair(ends, second).map(({ participant }) => participant)).toEqual([3, 4]);
  });

  it("are drawn with their shares, and with what limits all of them", () => {
    const fan = fanOf(both, { leg: "memory_to_disk" }, joint, limitedBy("sink_disk"), "MB/s");
    expect(fan.sources.map(({ load }) => load?.replaceAll("\u00a0", " "))).toEqual([
      "300 MB/s, 75.0 %",
      "100 MB/s, 25.0 %",
    ]);
    expect(fan.sinks).toHaveLength(1);
    expect(fan.sinks[0]?.parts).toMatchObject([{ kind: "disk", isBottleneck: true }]);
    expect(fan.lines).toEqual([
      { from: 0, to: 0, share: 0.75 },
      { from: 1, to: 0, share: 0.25 },
    ]);
  });

  it.each(["db", "Rack 1 and left", "a, b"])(
    "to %s are one line, and its disks drawn on it",
    (db) => {
      const disks = (id: number, name: string, rate: number): PathPair => ({
        ...pair(id, `web-1 /mnt/${name}`, rate, rate / 400e6),
        source_host: "web-1",
        sink_host: db,
        sink: `${db} /mnt/${name}`,
        receiver: {
          load: null,
          stages: [{ name: "write", threads: 2, busy: 1, full: 0, empty: 0 }],
          card: { name: "eth0", speed_bits_per_s: 10e9, mtu_bytes: 9000, numa_node: 0 },
          cpu_ns: 1,
          own_cores: null,
        },
      });
      const trial = { ...joint, pairs: [disks(1, "a", 300e6), disks(3, "b", 100e6)] };
      const participants = both.participants.map((one) => ({ ...one, devices: ["sda", "sdb"] }));
      const draw = (...slow: string[]) =>
        fanOf(
          { ...both, participants },
          { leg: "memory_to_disk" },
          trial,
          limitedBy("sink_disk", ...slow),
          "MB/s",
        );
      const fan = draw();
      expect(fan.sources.map(({ title, parts }) => [title, parts.length])).toEqual([["web-1", 2]]);
      const [sink] = fan.sinks;
      expect(sink?.title).toBe(db);
      expect(sink?.parts.map(({ kind, words }) => [kind, words.replaceAll("\u00a0", " ")])).toEqual(
        [
          ["disk", "/mnt/a, 2 threads, sda and sdb, 300 MB/s"],
          ["disk", "/mnt/b, 2 threads, sda and sdb, 100 MB/s"],
          ["card", "eth0, 10 Gb/s"],
        ],
      );
      expect(sink?.load?.replaceAll("\u00a0", " ")).toBe("400 MB/s");
      expect(fan.lines).toEqual([{ from: 0, to: 0, share: 1 }]);
      const marked = (drawn: typeof fan) =>
        drawn.sinks[0]?.parts.map(({ isBottleneck }) => isBottleneck);
      expect(marked(fan)).toEqual([true, true, false]);
      // of uneven disks only the slow one is marked
      expect(marked(draw(`${db} /mnt/b`))).toEqual([false, true, false]);
    },
  );

  it("have one sentence on fairness and the common window", () => {
    expect(fairnessWords(joint).replaceAll("\u00a0", " ")).toBe(
      "Jain's fairness index 0.800. Rates of the common window cover the 58.2 s in which every pair moved data.",
    );
  });

  it("have a rate of their own, also where all at once have none", () => {
    const slow = { ...pair(3, "web-2", 20e6, 0.1), own_bytes_per_s: 21e6, own_ns: 15e9 };
    const said = (one: PathPair) => ownWords(one, "MB/s").replaceAll("\u00a0", " ");
    expect(said(slow)).toBe("21.0 MB/s in 15.0 s");
    expect(said({ ...slow, own_bytes_per_s: null, own_ns: null })).toBe("–");
    expect(fairnessWords({ ...joint, window_ns: 0, fairness: null })).toBe(
      "There is no common window: the pairs never moved data at the same time.",
    );
    const flag = {
      code: "short_overlap" as const,
      evidence: [],
      figures: {},
      rates: [],
      levels: [],
    };
    const short = { ...joint, window_ns: 4e8, flags: [{ ...flag, participant_id: null }] };
    expect(fairnessWords(short)).toMatch(/which every pair moved data, which is too short\.$/);
    expect(fairnessWords({ ...joint, window_ns: null, fairness: null })).toMatch(/appear when/);
  });
});

it("draws the sum of all pairs, each of them, and each host once", () => {
  const COUNT = 12;
  const recorded = (
    id: number,
    host: string,
    role: "sender" | "receiver",
    rate: number,
  ): EndSamples => ({
    participant: id,
    role,
    host,
    path: null,
    samples: {
      sample_ns: 1e9,
      count: COUNT,
      implausible: [],
      columns: {
        t_ns: Array.from({ length: COUNT }, (_, at) => (at + 1) * 1e9),
        dt_ns: Array(COUNT).fill(1e9),
        phase: Array(COUNT).fill(0),
        rate_mean_bytes_per_s: Array(COUNT).fill(rate),
        cpu_busiest: Array(COUNT).fill(0.5),
      },
    } as unknown as Samples,
    links: { columns: {} },
  });
  const pairs = [
    {
      label: "web-1",
      sender: recorded(1, "web-1", "sender", 3e8),
      receiver: recorded(2, "db", "receiver", 3e8),
    },
    {
      label: "web-2",
      sender: recorded(3, "web-2", "sender", 1e8),
      receiver: recorded(4, "db", "receiver", 1e8),
    },
  ];
  const [received, sent, cores] = jointStrips(pairs, "MB/s", timeAxis(COUNT * 1e9));
  expect(received?.lines.map(({ name, y }) => [name, y[3]])).toEqual([
    ["all pairs", 400],
    ["web-1", 300],
    ["web-2", 100],
  ]);
  expect(sent?.lines).toHaveLength(2);
  expect(cores?.lines.map(({ name }) => name)).toEqual(["web-1", "web-2", "db"]);
});
