import { Notice } from "@/components/feedback/Notice";
import type { Connection } from "./feed";

/** Says when the page is no longer live; silence means that it is. */
export function ConnectionLine({ connection }: { connection: Connection }) {
  if (connection !== "reconnecting") return null;
  return (
    <Notice title="Not live at the moment">
      The connection to Assay was lost. The runs go on without this page; it shows the newest state
      as soon as the connection is back.
    </Notice>
  );
}
