import type { Device, FileSystem, Inspection, Inventory, NetworkCard } from "@/api/shapes";
import { Facts } from "@/components/Facts";
import { Section } from "@/components/page/Page";
import { Bytes, formatBlock, formatBytes, RelativeTime } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { cardSpeed, kindOf, mediumOf, objectionTo } from "@/features/targets/describe";

/** A host's inventory as reported by its probe. */
export function InventoryView({ inventory }: { inventory: Inventory }) {
  const { body } = inventory;
  return (
    <>
      <Section title="Machine">
        <MachineFacts body={body} />
        <Facts
          facts={[
            ["Seen", <RelativeTime key="seen" at={inventory.taken_at} />],
            ["Probe build", inventory.probe],
          ]}
        />
      </Section>
      <Section title="File systems">
        <FileSystems filesystems={body.filesystems} />
      </Section>
      <Section title="Devices">
        <DataTable
          caption="Block devices"
          columns={DEVICES}
          rows={body.devices}
          rowId={(device) => device.name}
        />
      </Section>
      <Section title="Network interfaces">
        <DataTable
          caption="Network interfaces"
          columns={CARDS}
          rows={body.nics}
          rowId={(card) => card.name}
        />
      </Section>
    </>
  );
}

/** System, processors and memory. */
export function MachineFacts({ body }: { body: Inspection }) {
  const limited = body.mem_limit_bytes !== null && body.mem_limit_bytes !== body.mem_total_bytes;
  return (
    <Facts
      facts={[
        ["Host name", body.hostname],
        ["System", body.os],
        ["Kernel", body.kernel ? `${body.kernel} ${body.arch ?? ""}` : null],
        ["CPUs", body.cpus ? `${body.cpus.count} × ${body.cpus.model ?? "unknown"}` : null],
        [
          "Memory",
          body.mem_total_bytes === null
            ? null
            : `${formatBytes(body.mem_total_bytes)}${limited && body.mem_limit_bytes ? `, limited to ${formatBytes(body.mem_limit_bytes)}` : ""}`,
        ],
      ]}
    />
  );
}

const device = columnsOf<Device>();
const DEVICES = device.columns([
  device.accessor("name", {
    header: "Device",
    cell: ({ getValue }) => <code>{getValue()}</code>,
    meta: { narrow: "lead" },
  }),
  device.accessor((each) => each.model ?? "–", {
    id: "model",
    header: "Model",
    meta: { narrow: "lead" },
  }),
  device.accessor((each) => each.size_bytes ?? 0, {
    id: "size",
    header: "Size",
    meta: { narrow: "figure" },
    cell: ({ row }) => <Bytes bytes={row.original.size_bytes} />,
  }),
  device.accessor(
    (each) =>
      each.rotational === null
        ? "–"
        : each.rotational
          ? "rotational (as the kernel reports)"
          : "non-rotational",
    { id: "rotational", header: "Kind", meta: { narrow: "second" } },
  ),
  device.accessor((each) => each.scheduler ?? "–", {
    id: "scheduler",
    header: "Scheduler",
    meta: { narrow: "named" },
  }),
  device.accessor((each) => each.read_ahead_bytes ?? 0, {
    id: "read_ahead",
    header: "Read-ahead",
    cell: ({ row: { original } }) => (
      <span className="figures">
        {original.read_ahead_bytes === null ? "–" : formatBlock(original.read_ahead_bytes)}
      </span>
    ),
  }),
  device.accessor((each) => each.write_cache ?? "–", { id: "cache", header: "Write cache" }),
]);

const card = columnsOf<NetworkCard>();
const CARDS = card.columns([
  card.accessor("name", {
    header: "Interface",
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <code>{getValue()}</code>,
  }),
  card.accessor((each) => each.speed_bits_per_s ?? 0, {
    id: "speed",
    header: "Speed",
    meta: { narrow: "figure" },
    cell: ({ getValue }) => (getValue() > 0 ? cardSpeed(getValue()) : "–"),
  }),
  card.accessor((each) => each.state ?? "–", {
    id: "state",
    header: "State",
    meta: { narrow: "second" },
  }),
  card.accessor((each) => each.mac ?? "–", {
    id: "mac",
    header: "MAC",
    meta: { narrow: "second" },
    cell: ({ getValue }) => <span className="figures">{getValue()}</span>,
  }),
]);

const column = columnsOf<FileSystem>();
const COLUMNS = column.columns([
  column.accessor("mount", {
    header: "Mounted at",
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <code>{getValue()}</code>,
  }),
  column.accessor(kindOf, { id: "kind", header: "Type", meta: { narrow: "second" } }),
  column.accessor((fs) => fs.device ?? fs.source, {
    id: "device",
    header: "Device",
    cell: ({ getValue, row }) => (
      <>
        <code>{getValue()}</code> {row.original.model}
      </>
    ),
  }),
  column.accessor(mediumOf, { id: "medium", header: "Medium" }),
  column.accessor((fs) => fs.free_bytes ?? 0, {
    id: "free",
    header: "Free",
    meta: { narrow: "figure" },
    cell: ({ row }) => (
      <>
        <Bytes bytes={row.original.free_bytes} /> of <Bytes bytes={row.original.size_bytes} />
      </>
    ),
  }),
  column.accessor((fs) => objectionTo(fs) ?? "none", {
    id: "objection",
    header: "Issues",
    meta: { narrow: "named" },
  }),
]);

/** A host's file systems as a list. */
function FileSystems({ filesystems }: { filesystems: FileSystem[] }) {
  return (
    <DataTable
      caption="File systems"
      columns={COLUMNS}
      rows={filesystems}
      rowId={(fs) => fs.mount}
    />
  );
}
