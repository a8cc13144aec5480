import type { Host, Target } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notice";
import { Section } from "@/components/page/Section";
import { EndChoice } from "@/features/transfers/EndChoice";
import { type End, knownEnd } from "@/features/transfers/ends";
import { RoutePreview } from "@/features/transfers/RoutePreview";

interface EndsSectionProps {
  hosts: readonly Host[];
  targets: readonly Target[];
  source: End | null;
  sink: End | null;
  onChange: (ends: { source: End | null; sink: End | null }) => void;
  /** The server's messages by field. */
  remarks: Record<string, string>;
}

/** The source and sink of a launch's transfers, and what lies between them. */
export function EndsSection(props: EndsSectionProps) {
  const { hosts, targets, source, sink, onChange, remarks } = props;
  const [from, to] = [source, sink].map((end) => knownEnd(end, hosts, targets));
  const refused = Object.entries(remarks).filter(([field]) => /^(sources|sinks)\b/.test(field));
  return (
    <Section
      title="Source and sink"
      hint="Data is read at the source, sent, and written at the sink."
    >
      <EndChoice {...{ hosts, targets, source, sink, onChange }} />
      {refused.map(([field, message]) => (
        <Notice key={field}>{message}</Notice>
      ))}
      {from && to ? <RoutePreview source={from} sink={to} /> : null}
    </Section>
  );
}
