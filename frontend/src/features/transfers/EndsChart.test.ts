import { describe, expect, it } from "vitest";
import type { Links, Samples } from "@/api/shapes";
import { timeAxis } from "@/charts/figure";
import type { EndSamples } from "./courses";
import { endStrips, endsTable } from "./EndsChart";

const COUNT = 12;
const SECOND = 1e9;
const columns = (values: Record<string, number | null>, lengths = Array(COUNT).fill(SECOND)) => ({
  t_ns: lengths.map((_, index) => lengths.slice(0, index + 1).reduce((a, b) => a + b, 0)),
  dt_ns: lengths,
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, lengths.map(() => value)]),
  ),
});

const end = (
  role: EndSamples["role"],
  ofLinks: Record<string, number | null>,
  lengths?: number[],
) =>
  ({
    participant: role === "sender" ? 83 : 84,
    path: null,
    role,
    host: role === "sender" ? "cern-1" : "cit-1",
    samples: {
      sample_ns: SECOND,
      count: COUNT,
      implausible: [],
      columns: columns({
        phase: 2,
        rate_mean_bytes_per_s: 500e6,
        dev_read_bytes_per_s: role === "sender" ? 510e6 : 0,
        dev_write_bytes_per_s: role === "sender" ? 0 : 490e6,
        cpu_user: 0.1,
        cpu_system: 0.2,
        cpu_busiest: 0.6,
      }),
    } as unknown as Samples,
    links: { columns: columns(ofLinks, lengths) } as unknown as Links,
  }) satisfies EndSamples;

const sent = {
  rtt_min_ns: 1e6,
  rtt_mean_ns: 2e6,
  rtt_max_ns: 4e6,
  retransmits: 3,
  card_tx_bytes_per_s: 520e6,
  ring_empty: 0.25,
};
const received = { rtt_mean_ns: 1e6, card_rx_bytes_per_s: 520e6, ring_full: 0.5 };
const both = [end("sender", sent), end("receiver", received)];
const axis = timeAxis(COUNT * SECOND);
const linesOf = (ends: readonly EndSamples[]) =>
  Object.fromEntries(
    endStrips(ends, "MB/s", axis).map(({ title, lines }) => [
      title,
      Object.fromEntries(lines.map(({ name, y }) => [name, y.at(-1)])),
    ]),
  );

describe("the strips of both ends", () => {
  it("show the network, both disks, both CPUs, TCP and what the streams waited for", () => {
    expect(linesOf(both)).toEqual({
      "Network rate": { sent: 500, received: 500, "sender's card": 520, "receiver's card": 520 },
      Disks: { "source read": 510, "sink written": 490 },
      "CPU of the sender": { user: 10, system: 20, "busiest core": 60 },
      "CPU of the receiver": { user: 10, system: 20, "busiest core": 60 },
      "Round-trip time": { "round trip": 2 },
      Retransmits: { retransmitted: 3 },
      "Streams waiting": { "for the source": 25, "for the sink": 50 },
    });
  });

  it("leave out the network of a leg that does not use it", () => {
    expect(Object.keys(linesOf([end("sender", { rtt_mean_ns: null })]))).toEqual([
      "Disks",
      "CPU of the sender",
    ]);
  });

  it("keep the longest and the shortest round trip as a band", () => {
    const strip = endStrips(both, "MB/s", axis).find(({ title }) => title === "Round-trip time");
    expect([strip?.lines[0]?.band?.low[0], strip?.lines[0]?.band?.high[0]]).toEqual([1, 4]);
  });

  it("draw no fragment that the end of the data cuts off", () => {
    const lengths = [...Array(COUNT - 1).fill(SECOND), SECOND / 100];
    const strips = endStrips(
      [end("sender", sent, lengths), end("receiver", received)],
      "MB/s",
      axis,
    );
    const [line] = strips.find(({ title }) => title === "Retransmits")?.lines ?? [];
    expect(line?.x.at(-1)).toBe(COUNT - 1);
  });

  it("have a table with each end's figures of the same interval", () => {
    const { columns: titles, rows } = endsTable(both, "MB/s");
    expect(rows).toHaveLength(2 * COUNT);
    const row = Object.fromEntries(titles.map((title, index) => [title, rows[0]?.[index]]));
    expect(row).toMatchObject({
      end: "sender",
      "time (s)": 1,
      "throughput mean (MB/s)": 500,
      "round trip mean (ms)": 2,
      "retransmitted segments": 3,
    });
  });
});
