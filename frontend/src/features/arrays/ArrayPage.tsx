import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { arrayQuery, targetsOfArrayQuery } from "@/api/queries";
import type { StorageArray, Target } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { Facts } from "@/components/Facts";
import { Empty } from "@/components/feedback/Notices";
import { Loading, Resolved } from "@/components/feedback/Resolved";
import { LabelChips } from "@/components/labels/Labels";
import { useListView } from "@/components/list/ListTable";
import { PageHeader, Section } from "@/components/page/Page";
import { Bytes, RelativeTime } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { ManagedBy } from "@/features/declarations/ManagedBy";
import { NotesSection } from "@/features/notes/NotesSection";
import { RunList } from "@/features/runs/RunList";
import { Matches } from "@/features/targets/Matches";

/** A chunk of its own: the page's beginning does not wait for the chart's code. */
const ArrayHistory = lazy(async () => ({
  default: (await import("./history/ArrayHistory")).ArrayHistory,
}));

const route = getRouteApi("/arrays/$id");
const column = columnsOf<Target>();

const COLUMNS = column.columns([
  column.accessor("host_name", {
    header: "Host",
    meta: { narrow: "lead" },
    cell: ({ row: { original: target } }) => (
      <Link to="/hosts/$id" params={{ id: target.host_id }}>
        {target.host_name}
      </Link>
    ),
  }),
  column.accessor("path", {
    header: "Target",
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <code>{getValue()}</code>,
  }),
  column.accessor("fs_type", { header: "File system", meta: { narrow: "second" } }),
  column.accessor((target) => target.free_bytes ?? 0, {
    id: "free",
    header: "Free",
    meta: { narrow: "figure" },
    cell: ({ row }) => <Bytes bytes={row.original.free_bytes} />,
  }),
  column.accessor("checked_at", {
    header: "Checked",
    meta: { narrow: "named" },
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
]);

/** One array: its identity, the targets that belong to it, and the runs that measured it. */
export function ArrayPage() {
  const { id } = route.useParams();
  const array = useQuery(arrayQuery(id));
  const targets = useQuery(targetsOfArrayQuery(id)).data?.items ?? [];
  const mayLaunch = useCan("operator") && targets.length > 0;
  return (
    <>
      <PageHeader
        title={array.data?.name ?? `Array ${id}`}
        action={
          mayLaunch ? (
            <Button
              renderRoot={(props) => (
                <Link
                  to="/launch"
                  search={{ targets: targets.map((target) => target.id).join(",") }}
                  {...props}
                />
              )}
            >
              Launch campaign
            </Button>
          ) : null
        }
        parents={[
          <Link key="arrays" to="/arrays">
            Arrays
          </Link>,
        ]}
      />
      <Resolved query={array} what="array" elsewhere={<Link to="/arrays">All arrays</Link>}>
        {(found) => <ArrayBody array={found} />}
      </Resolved>
    </>
  );
}

function ArrayBody({ array }: { array: StorageArray }) {
  const view = useListView("-created_at", ["history", "zoom"]);
  const targets = useQuery(targetsOfArrayQuery(array.id));
  return (
    <>
      <ManagedBy file={array.managed_by} />
      <Matches of={{ array_id: array.id }} />
      <Section title="Identity">
        <Facts
          facts={[
            ["Vendor", array.vendor],
            ["Model", array.model],
            ["Serial number", array.serial],
            ["Firmware", array.firmware],
            ["RAID", array.raid],
            ["Declared cache", <Bytes key="cache" bytes={array.cache_bytes} />],
            ["Runs at a time", array.shared ? "one, across all hosts" : "one on each host"],
            ["Labels", <LabelChips key="labels" labels={array.labels} />],
            ["Reference", array.reference],
          ]}
        />
      </Section>
      <NotesSection of={{ kind: "array", id: array.id }} />
      <Section title="Targets">
        <Resolved query={targets} what="targets" rows={2}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No targets">Assign the array to a target on its host's page.</Empty>
            ) : (
              <DataTable
                caption="Targets"
                columns={COLUMNS}
                rows={items}
                rowId={({ id }) => id}
                sortedBy="host_name"
              />
            )
          }
        </Resolved>
      </Section>
      <Suspense
        fallback={
          <Section title="History">
            <Loading what="history" rows={6} />
          </Section>
        }
      >
        <ArrayHistory key={array.id} arrayId={array.id} name={array.name} />
      </Suspense>
      <Section title="Runs" hint="Each run belongs to the array that its target had at the launch.">
        <RunList view={view} arrayId={array.id} />
      </Section>
    </>
  );
}
