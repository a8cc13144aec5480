import { Radio } from "@mantine/core";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense } from "react";
import type { Host, Target } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notices";
import { Loading } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Page";
import { EndChoice } from "@/features/transfers/EndChoice";
import {
  type Arrangement,
  type EndLimits,
  type Ends,
  knownEnd,
  pairsOf,
} from "@/features/transfers/ends";
import classes from "./Launch.module.css";

// drawn once both ends are selected
const loadPreviews = () => import("@/features/transfers/RoutePreview");
const RoutePreview = lazyRouteComponent(loadPreviews, "RoutePreview");
const RoutesPreview = lazyRouteComponent(loadPreviews, "RoutesPreview");

interface EndsSectionProps {
  hosts: readonly Host[];
  targets: readonly Target[];
  ends: Ends;
  limits: EndLimits;
  arrangement: Arrangement;
  onChange: (changed: Partial<Ends> & { arrangement?: Arrangement }) => void;
  /** The server's messages by field. */
  remarks: Record<string, string>;
}

/** The sources and sinks of a launch's transfers, and what lies between them. */
export function EndsSection(props: EndsSectionProps) {
  const { hosts, targets, ends, limits, arrangement, onChange, remarks } = props;
  const refused = Object.entries(remarks).filter(([field]) =>
    /^(sources|sinks|arrangement)\b/.test(field),
  );
  const choose = (to: Arrangement) => {
    const isMesh = to === "mesh";
    if (isMesh === (arrangement === "mesh")) return onChange({ arrangement: to });
    // a mesh has each of its ends at both sides
    onChange({ arrangement: to, sources: ends.sources, sinks: isMesh ? ends.sources : [] });
  };
  return (
    <Section
      title={limits.severalSources || limits.severalSinks ? "Sources and sinks" : "Source and sink"}
      hint="Data is read at the source, sent, and written at the sink."
    >
      {limits.arrangements.length > 1 ? (
        <ArrangementChoice offered={limits.arrangements} {...{ arrangement, choose }} />
      ) : null}
      <EndChoice {...{ hosts, targets, ends, limits, arrangement, onChange }} />
      {refused.map(([field, message]) => (
        <Notice key={field}>{message}</Notice>
      ))}
      <Suspense fallback={<Loading what="route" rows={4} />}>
        <Routes {...{ hosts, targets, ends, arrangement }} />
      </Suspense>
    </Section>
  );
}

const ARRANGEMENTS: Record<Arrangement, { label: string; description: string }> = {
  together: {
    label: "All pairs together",
    description:
      "Several sources to one sink, one source to several sinks, or the first source to the first sink and so on: aggregate rate, shares and fairness.",
  },
  scale_out: {
    label: "Scale-out",
    description:
      "The first pair, then the first two together, and so on up to all: efficiency against N × one pair.",
  },
  mesh: {
    label: "Mesh",
    description:
      "Each end to each other one, in both directions. A host is in one pair at a time; other pairs run meanwhile.",
  },
};

function ArrangementChoice({
  offered,
  arrangement,
  choose,
}: {
  offered: readonly Arrangement[];
  arrangement: Arrangement;
  choose: (to: Arrangement) => void;
}) {
  return (
    <Radio.Group
      className={classes.arrangement}
      label="Arrangement"
      value={arrangement}
      onChange={(value) => choose(value as Arrangement)}
    >
      <div className={classes.endOptions}>
        {offered.map((value) => (
          <Radio key={value} value={value} {...ARRANGEMENTS[value]} />
        ))}
      </div>
    </Radio.Group>
  );
}

/** What the data will pass: in detail for one pair, else an overview. */
function Routes({
  hosts,
  targets,
  ends,
  arrangement,
}: Pick<EndsSectionProps, "hosts" | "targets" | "ends" | "arrangement">) {
  const known = (chosen: Ends["sources"]) =>
    chosen.flatMap((end) => knownEnd(end, hosts, targets) ?? []);
  const [sources, sinks] = [known(ends.sources), known(ends.sinks)];
  const pairs = pairsOf(ends, arrangement);
  if (!pairs) {
    return (
      <Notice>
        {ends.sources.length} sources and {ends.sinks.length} sinks make no pairs. Select one
        source, one sink, or as many sinks as sources.
      </Notice>
    );
  }
  const isKnown = sources.length === ends.sources.length && sinks.length === ends.sinks.length;
  if (!isKnown || pairs.length === 0) return null;
  const [source, sink] = [sources[0], sinks[0]];
  if (pairs.length === 1 && source && sink) return <RoutePreview source={source} sink={sink} />;
  return <RoutesPreview sources={sources} sinks={sinks} pairs={pairs} />;
}
