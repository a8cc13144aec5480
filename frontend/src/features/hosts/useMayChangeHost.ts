import type { Host } from "@/api/shapes";
import { useCan } from "@/api/useCan";

/** Whether the user may change a host and its targets: Assay's own are the administrator's. */
export const useMayChangeHost = ({ connection }: Pick<Host, "connection">): boolean =>
  useCan(connection === "local" ? "admin" : "operator");
