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

/** What was typed about a host; it survives a reload, and is forgotten once the host is saved. */
export function useDraft(host?: Host) {
  const [draft, setDraft, forget] = useSessionStorage<Draft>({
    key: `assay-host-draft-${host?.id ?? "new"}`,
    defaultValue: {
      connection: host?.connection ?? "ssh",
      name: host?.name ?? "",
      address: host?.address ?? "",
      port: host?.port ?? 22,
      user: host?.user ?? "",
      credential_id: host?.credential_id ?? null,
    },
    getInitialValueInEffect: false,
  });
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  return { draft, set, forget };
}
