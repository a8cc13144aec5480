import { useQueries, useQuery } from "@tanstack/react-query";
import { inventoryQuery } from "@/api/queries";
import type { Inspection } from "@/api/shapes";
import { cardSpeed } from "@/features/targets/describe";
import type { KnownEnd, Pair } from "./ends";
import { FanDrawing, type FanEnd, type FanLine } from "./FanDrawing";
import { PathDrawing, type PathPart, type PathSection } from "./PathDrawing";

/** What the data will pass, as the hosts' inventories have it; nothing is measured yet. */
export function RoutePreview({ source, sink }: { source: KnownEnd; sink: KnownEnd }) {
  const ofSource = useQuery(inventoryQuery(source.host.id)).data?.body ?? null;
  const ofSink = useQuery(inventoryQuery(sink.host.id)).data?.body ?? null;
  return <PathDrawing sections={routeSections(source, sink, ofSource, ofSink)} />;
}

/** Several sources and sinks as the inventories have them, and the pairs between them. */
export function RoutesPreview({
  sources,
  sinks,
  pairs,
}: {
  sources: readonly KnownEnd[];
  sinks: readonly KnownEnd[];
  pairs: readonly Pair[];
}) {
  const hosts = [...new Set([...sources, ...sinks].map(({ host }) => host.id))];
  const known = useQueries({ queries: hosts.map(inventoryQuery) });
  const inspections = new Map(hosts.map((id, index) => [id, known[index]?.data?.body ?? null]));
  const [from, to] = [hostsOf(sources), hostsOf(sinks)];
  const drawn = (ids: readonly number[], ends: readonly KnownEnd[], side: string) =>
    ids.map((id, index) =>
      previewHost(
        ends.filter(({ host }) => host.id === id),
        `${side} ${index + 1}`,
        inspections.get(id) ?? null,
      ),
    );
  return (
    <FanDrawing
      sources={drawn(from, sources, "Source")}
      sinks={drawn(to, sinks, "Sink")}
      lines={hostLines(sources, sinks, pairs)}
    />
  );
}

const hostsOf = (ends: readonly KnownEnd[]): number[] => [
  ...new Set(ends.map(({ host }) => host.id)),
];

/** One line between two hosts, however many pairs have ends there. */
export function hostLines(
  sources: readonly KnownEnd[],
  sinks: readonly KnownEnd[],
  pairs: readonly Pair[],
): FanLine[] {
  const at = (ends: readonly KnownEnd[], index: number) =>
    hostsOf(ends).indexOf(ends[index]?.host.id ?? 0);
  const lines = pairs.map(([from, to]) => ({ from: at(sources, from), to: at(sinks, to) }));
  return [...new Map(lines.map((line) => [`${line.from} ${line.to}`, line])).values()];
}

/** The ends on one host, with those of its parts that the inventory describes, each once. */
export function previewHost(
  ends: readonly KnownEnd[],
  side: string,
  inspection: Inspection | null,
): FanEnd {
  const [first] = ends;
  const host = first?.host.name ?? "–";
  const isOne = ends.length === 1;
  const storage = ends.flatMap((end) => {
    const { kind, detail } = storagePart(end, side);
    const words = isOne ? detail : [placeWords(end), detail].filter(Boolean).join(": ");
    return words ? [{ kind, words }] : [];
  });
  const others = [cpuPart(side, inspection), cardPart(side, inspection)].flatMap(
    ({ kind, detail }) => (detail ? [{ kind, words: detail }] : []),
  );
  return {
    key: side,
    title: isOne && first ? `${host} ${placeWords(first)}` : host,
    parts: [...storage, ...others],
  };
}

const placeWords = ({ target }: KnownEnd): string => target?.path ?? "memory";

/** The parts of a route; of a host that has no inventory, only their names. */
export function routeSections(
  source: KnownEnd,
  sink: KnownEnd,
  ofSource: Inspection | null,
  ofSink: Inspection | null,
): PathSection[] {
  const isLoopback = source.host.id === sink.host.id;
  return [
    {
      title: `Source: ${source.host.name}`,
      parts: [
        storagePart(source, "Source"),
        cpuPart("Source CPU", ofSource),
        ...(isLoopback ? [] : [cardPart("Source card", ofSource)]),
      ],
    },
    {
      title: "Network",
      parts: [
        { ...UNMEASURED, kind: "link", name: "Link", detail: isLoopback ? "loopback" : null },
      ],
    },
    {
      title: `Sink: ${sink.host.name}`,
      parts: [
        ...(isLoopback ? [] : [cardPart("Sink card", ofSink)]),
        cpuPart("Sink CPU", ofSink),
        storagePart(sink, "Sink"),
      ],
    },
  ];
}

const UNMEASURED = { load: null, share: null, note: null, isBottleneck: false };

function storagePart({ target }: KnownEnd, side: string): PathPart {
  if (target === null) {
    return { ...UNMEASURED, kind: "memory", name: `${side} memory`, detail: null };
  }
  const device = target.device_info?.model || target.device || target.fs_type;
  return { ...UNMEASURED, kind: "disk", name: `${side} disk`, detail: device || null };
}

function cpuPart(name: string, inspection: Inspection | null): PathPart {
  const count = inspection?.cpus?.count;
  const detail = count ? `${count} ${count === 1 ? "CPU" : "CPUs"}` : null;
  return { ...UNMEASURED, kind: "cpu", name, detail };
}

/** All cards of the host that may carry the transfer: the route decides which one does. */
function cardPart(name: string, inspection: Inspection | null): PathPart {
  const cards = (inspection?.nics ?? []).filter(
    ({ name: card, state }) => card !== "lo" && state !== "down",
  );
  const detail = cards
    .map(({ name: card, speed_bits_per_s: speed }) =>
      speed ? `${card} ${cardSpeed(speed)}` : card,
    )
    .join(", ");
  return { ...UNMEASURED, kind: "card", name, detail: detail || null };
}
