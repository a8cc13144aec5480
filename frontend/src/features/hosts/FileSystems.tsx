import type { FileSystem } from "@/api/shapes";
import { Bytes } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { kindOf, mediumOf, objectionTo } from "./filesystem";

const column = columnsOf<FileSystem>();
const COLUMNS = column.columns([
  column.accessor("mount", {
    header: "Mounted at",
    cell: ({ getValue }) => <code>{getValue()}</code>,
  }),
  column.accessor(kindOf, { id: "kind", header: "Type" }),
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
    cell: ({ row }) => (
      <>
        <Bytes bytes={row.original.free_bytes} /> of <Bytes bytes={row.original.size_bytes} />
      </>
    ),
  }),
  column.accessor((fs) => objectionTo(fs) ?? "none", { id: "objection", header: "Issues" }),
]);

/** A host's file systems as a list. */
export function FileSystems({ filesystems }: { filesystems: FileSystem[] }) {
  return (
    <DataTable
      caption="File systems"
      columns={COLUMNS}
      rows={filesystems}
      rowId={(fs) => fs.mount}
    />
  );
}
