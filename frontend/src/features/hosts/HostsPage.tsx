import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { arraysQuery, hostListQuery } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { Empty } from "@/components/feedback/Notices";
import { FilterBar } from "@/components/list/FilterBar";
import { stateFilter } from "@/components/list/filters";
import { ListTable, useListView } from "@/components/list/ListTable";
import { SavedViews } from "@/components/list/SavedViews";
import { PageHeader } from "@/components/page/Page";
import { Bytes, RelativeTime } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import { columnsOf, ID } from "@/components/table/DataTable";
import { addressOf, machineOf } from "@/features/targets/describe";
import classes from "./Hosts.module.css";

const column = columnsOf<Host>();

const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor("state", {
    header: "State",
    meta: { narrow: "lead" },
    cell: ({ row: { original: host } }) => (
      <span>
        <StateBadge state={host.state} />
        {host.state_reason ? (
          <span className={`unfolded ${classes.reason}`}>{host.state_reason}</span>
        ) : null}
      </span>
    ),
  }),
  column.accessor("name", {
    header: "Name",
    meta: { narrow: "lead" },
    cell: ({ row: { original: host } }) => (
      <Link to="/hosts/$id" params={{ id: host.id }} className={classes.name}>
        {host.name}
      </Link>
    ),
  }),
  column.accessor(addressOf, {
    id: "address",
    header: "Address",
    meta: { narrow: "second" },
    cell: ({ getValue, row: { original: host } }) => (
      <>
        <span className={`figures ${classes.address}`} title={getValue()}>
          {getValue()}
        </span>
        {host.jump_host ? (
          <span className={`unfolded ${classes.reason}`}>through {host.jump_host.name}</span>
        ) : null}
      </>
    ),
  }),
  column.accessor(machineOf, { id: "machine", header: "System" }),
  column.accessor((host) => host.targets.length, {
    id: "targets",
    header: "Targets",
    cell: ({ row: { original: host } }) =>
      host.targets.length === 0 ? (
        "none"
      ) : (
        <ul className={classes.targets}>
          {host.targets.map((target) => (
            <li key={target.id}>
              <code>{target.path}</code> · <Bytes bytes={target.free_bytes} /> free
            </li>
          ))}
        </ul>
      ),
  }),
  column.accessor((host) => host.last_checked_at ?? "", {
    id: "last_checked_at",
    header: "Checked",
    meta: { narrow: "named" },
    cell: ({ row }) => <RelativeTime at={row.original.last_checked_at} />,
  }),
  column.accessor((host) => host.busy_run_id ?? 0, {
    id: "busy",
    header: "Active run",
    cell: ({ row: { original: host } }) =>
      host.busy_run_id ? (
        <Link to="/runs/$id" params={{ id: host.busy_run_id }}>
          run {host.busy_run_id}
        </Link>
      ) : (
        "none"
      ),
  }),
]);

const addHost = (
  <Button renderRoot={(props) => <Link to="/hosts/new" {...props} />}>Add host</Button>
);

const STATE = stateFilter("new", "key_unapproved", "key_changed", "ready", "unreachable", "error");

/** The list of all hosts. */
export function HostsPage() {
  const view = useListView("name");
  const arrays = useQuery(arraysQuery).data?.items ?? [];
  const list = useInfiniteQuery({ ...hostListQuery(view.asked), refetchInterval: 5000 });
  const adding = useCan("operator") ? addHost : null;
  const array = {
    name: "array_id",
    label: "Array",
    options: arrays.map(({ id, name }) => ({ value: String(id), label: name })),
  };
  return (
    <>
      <PageHeader title="Hosts" action={adding} />
      <SavedViews list="hosts" view={view} />
      <FilterBar view={view} what="hosts" filters={[STATE, array]} labeled />
      <ListTable
        caption="Hosts"
        what="hosts"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={(host) => host.id}
        sorts={["id", "state", "name", "address", "last_checked_at"]}
        empty={
          <Empty title="No hosts yet" action={adding}>
            A host is a Linux machine that Assay connects to over SSH and runs tests on.
          </Empty>
        }
      />
    </>
  );
}
