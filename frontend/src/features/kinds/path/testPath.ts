/** For tests: the result of a path from disk to disk whose sink is slowest, on two hosts. */
import type { EndFigures } from "@/features/transfers/TransferFacts";
import type { Path, PathLeg, PathTrial } from "./path";

const end = (
  ...stages: [name: string, busy: number, full: number, empty: number][]
): EndFigures => ({
  load: {
    busiest_core: 0.44,
    user: 0.03,
    system: 0.24,
    softirq: 0.08,
    iowait: 0.11,
    busy_ns: 42e9,
    dirty_growth_bytes: 0,
  },
  stages: stages.map(([name, busy, full, empty]) => ({ name, threads: 4, busy, full, empty })),
  card: { name: "eth0", speed_bits_per_s: 10e9, mtu_bytes: 9000, numa_node: 0 },
  cpu_ns: 61e9,
  own_cores: 0.39,
});

const link: PathTrial["link"] = {
  streams: 4,
  congestion_control: "cubic",
  mss_bytes: 8948,
  send_buffer_bytes: 4_194_304,
  receive_buffer_bytes: 6_291_456,
  rtt_idle_ns: 170_100_000,
  rtt_load_ns: 171_300_000,
  retransmits: 12,
  retransmitted: 0.0002,
  receive_window_limited: 0.81,
  send_buffer_limited: 0.02,
  rejected: 0,
};

const SENDER = end(["read", 0.45, 0.55, 0], ["send", 0.97, 0, 0.03]);
const RECEIVER = end(["receive", 0.36, 0.64, 0], ["write", 0.98, 0, 0.02]);

export const trial = (
  id: number,
  repeat: number,
  rate: number,
  more: Partial<PathTrial> = {},
): PathTrial => ({
  id,
  repeat,
  status: "complete",
  reason: null,
  attempts: 1,
  again: false,
  bytes: 60e9,
  application_bytes_per_s: rate,
  durable_bytes_per_s: null,
  bounded: false,
  served_by: null,
  flags: [],
  inflated: null,
  sender: SENDER,
  receiver: RECEIVER,
  link: null,
  wrong_blocks: 0,
  rejected_connections: 0,
  starved_roles: [],
  pairs: [],
  window_ns: null,
  fairness: null,
  slowest_pair: null,
  ...more,
});

const stat = (mean: number, n: number) => ({
  n,
  mean,
  median: mean,
  worst: mean,
  cv: n > 1 ? 0.012 : null,
  interval: null,
});

function leg(name: PathLeg["leg"], mean: number, trials: PathTrial[], durable: boolean): PathLeg {
  return {
    leg: name,
    block: 1_048_576,
    streams: name === "read" || name === "write" ? null : 4,
    state: "done",
    repeats_done: trials.length,
    repeats_total: trials.length,
    repeats: trials.length > 1 ? [`${trials.length}, CV `, { share: 0.012 }] : ["1"],
    rate: durable ? "durable" : "application",
    bytes_per_s: stat(mean, trials.length),
    application: stat(mean, trials.length),
    durable: durable ? stat(mean, trials.length) : null,
    inflated: false,
    reliable: true,
    trials,
  };
}

export const path: Path = {
  kind: "path",
  run_id: 42,
  edition: "1",
  participants: [
    {
      id: 83,
      host: "cern-1",
      path: "/mnt/raid",
      role: "sender",
      clock_uncertainty_ns: 180_000,
      devices: [],
    },
    {
      id: 84,
      host: "cit-1",
      path: "/mnt/raid",
      role: "receiver",
      clock_uncertainty_ns: 180_000,
      devices: [],
    },
  ],
  legs: [
    leg("read", 810e6, [trial(1, 1, 810e6, { receiver: null })], false),
    leg("memory", 1180e6, [trial(2, 1, 1180e6, { link })], false),
    leg("write", 555e6, [trial(3, 1, 560e6, { durable_bytes_per_s: 555e6, sender: null })], true),
    leg(
      "disk",
      545e6,
      [
        trial(4, 1, 544e6, { durable_bytes_per_s: 540e6, link }),
        trial(5, 2, 549e6, { durable_bytes_per_s: 546e6, link }),
        trial(6, 3, 552e6, { durable_bytes_per_s: 549e6, link }),
      ],
      true,
    ),
  ],
  settings: [
    {
      block: 1_048_576,
      streams: 4,
      transfer: "disk",
      transfer_bytes_per_s: 545e6,
      tb_per_hour: 1.962,
      read_bytes_per_s: 810e6,
      memory_bytes_per_s: 1180e6,
      write_bytes_per_s: 555e6,
      expected_bytes_per_s: 555e6,
      efficiency: 0.982,
      bottleneck: {
        limit: "sink_disk",
        others: [],
        rule: "slowest_part",
        sentence: "The sink's disk limits the transfer.",
        limited: "limited by the sink's disk",
        evidence: [],
        expected_bytes_per_s: 555e6,
        efficiency: 0.982,
      },
    },
  ],
  best: 0,
  headline: {
    kind: "path",
    leg: "disk",
    rate: "durable",
    bytes_per_s: 545e6,
    tb_per_hour: 1.962,
    block: 1_048_576,
    streams: 4,
    efficiency: 0.982,
    limit: "sink_disk",
    others: [],
    no_result: null,
    flags: [],
    pairs: 1,
    full_duplex: false,
    words: { doubt: null, figure: { bytes_per_s: 545e6 }, rest: ["disk to disk, durable"] },
  },
  scorecard: {
    link_bits_per_s: 10e9,
    required_tb_per_hour: 1,
    tb_per_hour: 1.962,
    meets: true,
  },
  same_host: false,
  shared_device: false,
  full_duplex: false,
  warnings: [],
};
