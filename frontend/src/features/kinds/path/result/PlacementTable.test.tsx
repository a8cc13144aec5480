import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Placement } from "@/features/kinds/path/path";
import { trial } from "@/features/kinds/path/testPath";
import type { EndFigures } from "@/features/transfers/TransferFacts";
import { notesOf, PlacementTable } from "./PlacementTable";

const placement: Placement = {
  cpus_asked: "node:1",
  cpus_allowed: "8-15",
  cpus_used: "8,10",
  numa_nodes_used: [1],
  disk_numa_nodes: [0, 1],
  card: {
    driver: "mlx5_core",
    local_cpus: "8-15",
    rx_queues: 2,
    tx_queues: 4,
    rps_cpus: "",
    xps_cpus: "8-9",
    irqs: 2,
    irq_cpus: "8-9",
    changed: false,
  },
  interrupts: 1_800_000,
  interrupt_cpus: "8-9",
  busiest_interrupt_cpu: 8,
  busiest_interrupt_share: 0.6,
  far: false,
};
const plain = trial(1, 1, 400e6).sender as EndFigures;
const end = (changed: Partial<Placement> = {}): EndFigures => ({
  ...plain,
  placement: { ...placement, ...changed },
});

/** The cells of a row: source, sink. */
function cells(name: string): (string | null)[] {
  const row = screen.getByRole("row", { name: new RegExp(`^${name}`) });
  return within(row)
    .getAllByRole("cell")
    .map((cell) => cell.textContent);
}

it("shows the CPUs and the interrupts of each end, and what is not known as unknown", () => {
  const virtual = { card: null, interrupts: null, disk_numa_nodes: null, cpus_asked: null };
  render(
    <MantineProvider>
      <PlacementTable sender={end()} receiver={end(virtual)} />
    </MantineProvider>,
  );
  expect(cells("CPUs asked for")).toEqual(["node:1", "chosen by the kernel"]);
  expect(screen.getAllByText("CPUs used")).toHaveLength(1);
  expect(screen.getByText("CPUs used").nextElementSibling?.textContent).toBe("8,10");
  expect(cells("NUMA nodes of the disk")).toEqual(["0, 1", "unknown"]);
  expect(cells("Driver")).toEqual(["mlx5_core", "unknown"]);
  expect(cells("RPS CPUs")).toEqual(["none", "unknown"]);
  expect(cells("Queues")).toEqual(["2 receive, 4 transmit", "unknown"]);
  expect(cells("Interrupts handled").map((text) => text?.replaceAll(/\s/g, " "))).toEqual([
    "1 800 000 by CPUs 8-9; CPU 8 60.0 %",
    "unknown",
  ]);
});

it("gathers in one line what is known of neither end", () => {
  const virtual = end({ card: null, interrupts: null });
  render(
    <MantineProvider>
      <PlacementTable sender={virtual} receiver={virtual} />
    </MantineProvider>,
  );
  expect(screen.queryByRole("table")).toBeNull();
  expect(screen.getByText(/^Unknown: /).textContent).toMatch(
    /Driver, .*Queues, .*Interrupts handled$/,
  );
});

it("tells no interrupt from an unknown number", () => {
  const quiet = { interrupts: 0, interrupt_cpus: "", busiest_interrupt_share: null };
  render(
    <MantineProvider>
      <PlacementTable sender={end(quiet)} receiver={null} />
    </MantineProvider>,
  );
  expect(cells("Interrupts handled")).toEqual(["0", "–"]);
});

it("says where threads ran far from their card, and which setup changed", () => {
  expect(notesOf(end(), end())).toEqual([]);
  const changed = { ...placement.card, changed: true } as Placement["card"];
  expect(notesOf(end({ far: true }), end({ card: changed }))).toEqual([
    "At the source, no thread ran on a CPU that is local to its network card.",
    "At the sink, the setup of the network card changed during the trial.",
  ]);
});
