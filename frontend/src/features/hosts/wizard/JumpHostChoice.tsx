import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { hostsQuery } from "@/api/queries";

type Props = {
  /** The host itself, which is no jump host of its own. */
  hostId?: number;
  value: number | null;
  onChange: (id: number | null) => void;
  error?: React.ReactNode;
};

/** Selects the host through which another is reached; not shown while there is none. */
export function JumpHostChoice({ hostId, value, onChange, error }: Props) {
  const hosts = useQuery(hostsQuery).data?.items ?? [];
  const others = hosts.filter(({ id, connection }) => connection === "ssh" && id !== hostId);
  if (others.length === 0) return null;
  return (
    <Select
      label="Jump host"
      description="Only if the address is reached through another host's SSH server."
      placeholder="None"
      clearable
      searchable
      data={others.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      error={error}
    />
  );
}
