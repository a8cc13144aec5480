/** Parameters of the connections of a transfer, whatever it sends. */
import { BOUNDS } from "@/api/bounds";
import type { Parameter } from "./parameters";
import { type Bounds, fileSizeText, type Parsed, parseCount, parseSize } from "./parse";
import { parseRate } from "./rates";
import { choice } from "./shared";

/** What a field contains that leaves the choice to the kernel or the probe. */
export const AUTOMATIC = "auto";

const NAME = /^[a-z0-9_-]{1,15}$/;
const IP_ADDRESS = /^[0-9a-f:.]{2,45}$/i;

const isAutomatic = (text: string): boolean => /^(auto|0)$/i.test(text.trim());

/** A size, or "auto" for 0. */
export const parseAutoSize = (text: string, least: number, most: number): Parsed<number> =>
  isAutomatic(text) ? { value: 0 } : parseSize(text, least, most);

/** A rate, or "auto" for 0. */
export const parseAutoRate = (text: string): Parsed<number> =>
  isAutomatic(text) ? { value: 0 } : parseRate(text);

/** A word or an address, or "auto" for null. */
export function parseAutoWord(text: string, pattern: RegExp, error: string): Parsed<string | null> {
  if (isAutomatic(text)) return { value: null };
  return pattern.test(text.trim()) ? { value: text.trim() } : { error };
}

/** A size as text that `parseAutoSize` reads back. */
export const autoSizeText = (bytes: number | undefined): string =>
  bytes ? fileSizeText(bytes) : AUTOMATIC;

export const SOCKET_BUFFERS: Parameter<{ socket_buffer_bytes?: number }> = {
  name: "socket_buffer_bytes",
  label: "Socket buffers",
  help: "auto keeps the kernel's autotuning, which a fixed size disables.",
  text: ({ socket_buffer_bytes }) => autoSizeText(socket_buffer_bytes),
  parse: (text) => parseAutoSize(text, ...BOUNDS.path.socket_buffer_bytes),
};

export const CONGESTION_CONTROL: Parameter<{ congestion_control?: string | null }> = {
  name: "congestion_control",
  label: "Congestion control",
  help: "Such as cubic or bbr; auto is each host's default.",
  text: ({ congestion_control }) => congestion_control ?? AUTOMATIC,
  parse: (text) => parseAutoWord(text, NAME, "Enter a name such as cubic, or auto."),
};

export const FAMILY = choice("family", { label: "IP version" }, [
  { value: "any", label: "Either" },
  { value: "ipv4", label: "IPv4" },
  { value: "ipv6", label: "IPv6" },
]);

/** The port of the tests of a kind, which has its own bounds. */
export const portOf = (
  bounds: Bounds,
  help = "The first port that is tried; 0 for any free one.",
): Parameter<{ port?: number }> => ({
  name: "port",
  label: "Port",
  help,
  text: ({ port }) => String(port ?? 0),
  parse: (text) => parseCount(text, ...bounds),
});

export const LAST_PORT: Parameter<{ port?: number; last_port?: number }> = {
  name: "last_port",
  label: "Last port",
  help: "0 tries only the first port.",
  text: ({ last_port }) => String(last_port ?? 0),
  parse: (text) => parseCount(text, ...BOUNDS.path.last_port),
  used: ({ port }) => port !== 0,
};

/** The address of an end of the connections. */
export const addressOf = <Side extends "source" | "sink">(
  side: Side,
): Parameter<{ [Name in `${Side}_address`]?: string | null }> => {
  const name = `${side}_address` as const;
  return {
    name,
    label: `Address of the ${side}`,
    help: "Selects its card; auto is the address by which Assay reaches the host.",
    text: (test) => test[name] ?? AUTOMATIC,
    parse: (text) =>
      parseAutoWord(text, IP_ADDRESS, "Enter an IP address such as 192.0.2.7, or auto."),
  };
};
