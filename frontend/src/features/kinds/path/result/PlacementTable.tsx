import { count, formatShare } from "@/components/quantities";
import type { Placement } from "@/features/kinds/path/path";
import { EndsFacts } from "@/features/transfers/EndsFacts";
import type { EndFigures } from "@/features/transfers/TransferFacts";
import classes from "./Path.module.css";

interface PlacementTableProps {
  sender: EndFigures | null;
  receiver: EndFigures | null;
}

/** Where both ends ran: the CPUs of their threads, their cards and disks. */
export function PlacementTable({ sender, receiver }: PlacementTableProps) {
  const ends = [sender, receiver];
  return (
    <>
      <EndsFacts
        caption="Placement of both ends"
        ends={["Source", "Sink"]}
        facts={ROWS.map(([name, textOf]) => [
          name,
          ends.map((end) => (end?.placement ? textOf(end.placement, end) : undefined)),
        ])}
      />
      {notesOf(sender, receiver).map((note) => (
        <p key={note} className={classes.fairness}>
          {note}
        </p>
      ))}
    </>
  );
}

/** CPUs or nodes: none, or a list; null if unknown. */
const listText = (cpus: string | null | undefined): string | null =>
  cpus == null ? null : cpus || "none";

const nodesText = (nodes: readonly number[] | null): string | null =>
  nodes === null ? null : nodes.join(", ");

type Row = readonly [
  name: string,
  textOf: (placement: Placement, end: EndFigures) => string | null,
];

const ROWS: readonly Row[] = [
  ["CPUs asked for", ({ cpus_asked }) => cpus_asked ?? "chosen by the kernel"],
  ["CPUs allowed", ({ cpus_allowed }) => listText(cpus_allowed)],
  ["CPUs used", ({ cpus_used }) => listText(cpus_used)],
  ["NUMA nodes used", ({ numa_nodes_used }) => nodesText(numa_nodes_used)],
  ["NUMA nodes of the disk", ({ disk_numa_nodes }) => nodesText(disk_numa_nodes)],
  ["Network card", (_, { card }) => card?.name ?? null],
  ["Driver", ({ card }) => card?.driver ?? null],
  ["NUMA node of the card", (_, { card }) => card?.numa_node?.toString() ?? null],
  ["CPUs local to the card", ({ card }) => listText(card?.local_cpus)],
  ["Queues", ({ card }) => queuesText(card)],
  ["RPS CPUs", ({ card }) => listText(card?.rps_cpus)],
  ["XPS CPUs", ({ card }) => listText(card?.xps_cpus)],
  ["IRQ affinity", ({ card }) => listText(card?.irq_cpus)],
  ["Interrupts handled", interruptsText],
];

function queuesText(card: Placement["card"]): string | null {
  if (card?.rx_queues == null || card.tx_queues == null) return null;
  return `${card.rx_queues} receive, ${card.tx_queues} transmit`;
}

/** "1800000 by CPUs 0-3; CPU 2 31 %" */
function interruptsText(placement: Placement): string | null {
  const { interrupts, interrupt_cpus, busiest_interrupt_cpu, busiest_interrupt_share } = placement;
  if (interrupts === null) return null;
  if (!interrupt_cpus || busiest_interrupt_share === null) return count(interrupts);
  const busiest = `CPU ${busiest_interrupt_cpu} ${formatShare(busiest_interrupt_share)}`;
  return `${count(interrupts)} by CPUs ${interrupt_cpus}; ${busiest}`;
}

/** What was found beside the figures; no judgment of the rate. */
export function notesOf(sender: EndFigures | null, receiver: EndFigures | null): string[] {
  const ends = [
    ["source", sender],
    ["sink", receiver],
  ] as const;
  return ends.flatMap(([side, end]) => [
    ...(end?.placement?.far
      ? [`At the ${side}, no thread ran on a CPU that is local to its network card.`]
      : []),
    ...(end?.placement?.card?.changed
      ? [`At the ${side}, the setup of the network card changed during the trial.`]
      : []),
  ]);
}
