import { useSessionStorage } from "@mantine/hooks";
import type { Host } from "@/api/shapes";

export type Draft = {
  connection: "ssh" | "local";
  name: string;
  address: string;
  port: number;
  user: string;
  credential_id: number | null;
};

/**
 * What was typed about a host; it survives a reload, and is forgotten once the host is saved. It
 * belongs to the host as it was when one typed: what is left of an earlier change is not restored
 * over newer values.
 */
export function useDraft(host?: Host) {
  const present: Draft = {
    connection: host?.connection ?? "ssh",
    name: host?.name ?? "",
    address: host?.address ?? "",
    port: host?.port ?? 22,
    user: host?.user ?? "",
    credential_id: host?.credential_id ?? null,
  };
  const [typed, setTyped, forget] = useSessionStorage<Partial<Draft>>({
    key: `assay-host-draft-${host?.id ?? "new"}-${JSON.stringify(present)}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const set = (change: Partial<Draft>) => setTyped((before) => ({ ...before, ...change }));
  return { draft: { ...present, ...typed }, set, forget };
}
