import type { Host } from "@/api/shapes";
import { formatBytes } from "@/components/quantities";

/** "ada@10.0.0.7:2222": the port only if it is not SSH's default. */
export function addressOf(host: Pick<Host, "connection" | "address" | "port" | "user">): string {
  if (host.connection === "local") return "this machine";
  const user = host.user ? `${host.user}@` : "";
  const port = host.port && host.port !== 22 ? `:${host.port}` : "";
  const address = host.address ?? "";
  return `${user}${port && address.includes(":") ? `[${address}]` : address}${port}`;
}

/** "25 Gb/s", from the bits per second that a card reports. */
export const cardSpeed = (bitsPerS: number): string =>
  bitsPerS >= 1e9 ? `${bitsPerS / 1e9}\u00a0Gb/s` : `${bitsPerS / 1e6}\u00a0Mb/s`;

/** Describe a host in one line: system, CPUs, memory, network. */
export function machineOf({ summary }: Pick<Host, "summary">): string {
  if (!summary) return "Not inspected";
  const { os, cpus, mem_total_bytes, nic_bits_per_s } = summary;
  return [
    os,
    cpus ? `${cpus} ${cpus === 1 ? "CPU" : "CPUs"}` : null,
    mem_total_bytes ? `${formatBytes(mem_total_bytes)} memory` : null,
    nic_bits_per_s ? cardSpeed(nic_bits_per_s) : null,
  ]
    .filter(Boolean)
    .join(" · ");
}
