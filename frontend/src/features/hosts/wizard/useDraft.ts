import { useSessionStorage } from "@mantine/hooks";
import type { Host } from "@/api/shapes";

export type Draft = {
  connection: "ssh" | "local";
  name: string;
  address: string;
  port: number;
  user: string;
  credential_id: number | null;
  jump_host_id: number | null;
  /** A fingerprint, or lines of a known_hosts file. */
  known_hosts: string;
  /** Directories to register with the host, one a line. */
  targets: string;
};

/**
 * The input about a host; it survives a reload and is discarded once the host is saved. It belongs
 * to the host as it was at that time: input from before a change is not restored over newer values.
 */
export function useDraft(host?: Host) {
  const present: Draft = {
    connection: host?.connection ?? "ssh",
    name: host?.name ?? "",
    address: host?.address ?? "",
    port: host?.port ?? 22,
    user: host?.user ?? "",
    credential_id: host?.credential_id ?? null,
    jump_host_id: host?.jump_host_id ?? null,
    known_hosts: "",
    targets: "",
  };
  const [typed, setTyped, forget] = useSessionStorage<Partial<Draft>>({
    key: `assay-host-draft-${host?.id ?? "new"}-${JSON.stringify(present)}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const set = (change: Partial<Draft>) => setTyped((before) => ({ ...before, ...change }));
  return { draft: { ...present, ...typed }, set, forget };
}
