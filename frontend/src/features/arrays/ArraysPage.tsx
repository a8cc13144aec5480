import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { arrayListQuery, hostsQuery } from "@/api/queries";
import type { StorageArray } from "@/api/shapes";
import { useCan, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { Empty } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { LabelChips } from "@/components/labels/Labels";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable, useListView } from "@/components/list/ListTable";
import { SavedViews } from "@/components/list/SavedViews";
import { PageHeader } from "@/components/page/Page";
import { Bytes } from "@/components/quantities";
import { columnsOf, ID } from "@/components/table/DataTable";
import { ArrayForm } from "./ArrayForm";
import classes from "./Arrays.module.css";

const column = columnsOf<StorageArray>();

const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor("name", {
    header: "Name",
    meta: { narrow: "lead" },
    cell: ({ row: { original: array } }) => (
      <Link to="/arrays/$id" params={{ id: array.id }} className={classes.name}>
        {array.name}
      </Link>
    ),
  }),
  column.accessor((array) => [array.vendor, array.model].filter(Boolean).join(" ") || "–", {
    id: "vendor",
    header: "Vendor and model",
    meta: { narrow: "second" },
  }),
  column.accessor((array) => array.serial ?? "–", {
    id: "serial",
    header: "Serial number",
    meta: { narrow: "figure" },
  }),
  column.accessor((array) => array.firmware ?? "–", { id: "firmware", header: "Firmware" }),
  column.accessor((array) => array.raid ?? "–", { id: "raid", header: "RAID" }),
  column.accessor((array) => array.cache_bytes ?? 0, {
    id: "cache_bytes",
    header: "Cache",
    cell: ({ row }) => <Bytes bytes={row.original.cache_bytes} />,
  }),
  column.accessor("targets", {
    header: "Targets",
    meta: { narrow: "named" },
  }),
  column.accessor((array) => Object.keys(array.labels).join(), {
    id: "labels",
    header: "Labels",
    cell: ({ row }) => <LabelChips labels={row.original.labels} />,
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row }) => <Actions array={row.original} />,
  }),
]);

function Actions({ array }: { array: StorageArray }) {
  const mayChange = useCan("operator");
  const [editing, setEditing] = useState(false);
  const remove = useWrite("arrays", () =>
    unwrap(api.DELETE("/api/v1/arrays/{array_id}", { params: { path: { array_id: array.id } } })),
  );
  return (
    <>
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <div className={classes.actions}>
        {mayChange ? (
          <>
            <Button variant="default" onClick={() => setEditing(true)}>
              Edit
            </Button>
            <ConfirmButton
              label="Delete"
              question={`Delete ${array.name}?`}
              consequence="Only possible when no targets use it. Results are kept."
              loading={remove.isPending}
              onConfirm={() => remove.mutate()}
            />
          </>
        ) : null}
      </div>
      <Modal opened={editing} onClose={() => setEditing(false)} title={`Edit ${array.name}`}>
        <ArrayForm array={array} onSaved={() => setEditing(false)} />
      </Modal>
    </>
  );
}

/** The storage systems under test. */
export function ArraysPage() {
  const view = useListView("name");
  const list = useInfiniteQuery(arrayListQuery(view.asked));
  const hosts = useQuery(hostsQuery).data?.items ?? [];
  const host = {
    name: "host_id",
    label: "Host",
    options: hosts.map(({ id, name }) => ({ value: String(id), label: name })),
  };
  const mayChange = useCan("operator");
  const [adding, setAdding] = useState(false);
  const add = <Button onClick={() => setAdding(true)}>Add array</Button>;
  return (
    <>
      <PageHeader title="Arrays" action={mayChange ? add : null} />
      <SavedViews list="arrays" view={view} />
      <FilterBar view={view} what="arrays" filters={[host]} labeled />
      <ListTable
        caption="Arrays"
        what="arrays"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={({ id }) => id}
        sorts={["id", "name", "vendor", "serial", "firmware", "raid", "cache_bytes"]}
        empty={
          <Empty title="No arrays yet">
            An array is the storage system behind one or more targets. With a declared cache size,
            results that the cache may have served are marked.
          </Empty>
        }
      />
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add array">
        <ArrayForm onSaved={() => setAdding(false)} />
      </Modal>
    </>
  );
}
