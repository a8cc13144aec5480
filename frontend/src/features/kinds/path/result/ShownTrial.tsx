import { useMemo } from "react";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import type { RateUnit } from "@/components/quantities";
import {
  type Path,
  type PathLeg,
  type PathPair,
  type PathSetting,
  type PathTrial,
  trialWords,
} from "@/features/kinds/path/path";
import { EndsChart } from "@/features/transfers/EndsChart";
import { FanDrawing } from "@/features/transfers/FanDrawing";
import { PathDrawing } from "@/features/transfers/PathDrawing";
import { ConnectionFacts } from "@/features/transfers/TransferFacts";
import { JointChart } from "./JointChart";
import { PairTable } from "./PairTable";
import { PlacementTable } from "./PlacementTable";
import { devicesOf, endsOfPair, fanOf, isJoint, pairLabels, shownPair } from "./pairs";
import { pathSections } from "./pathParts";
import { endsOf } from "./pathSamples";

interface ShownTrialProps {
  path: Path;
  setting: PathSetting;
  leg: PathLeg;
  trial: PathTrial;
  /** The position of a pair in the page's address. */
  pair: string | undefined;
  /** What is excluded from the rates. */
  rampNs: number;
  unit: RateUnit;
  onSelectPair: (position: number) => void;
  /** Select another leg or repeat. */
  switches: React.ReactNode;
}

/** A trial: all pairs together if there are several, and one pair with the load of its parts. */
export function ShownTrial(props: ShownTrialProps) {
  const { path, setting, leg, trial, rampNs, unit, switches } = props;
  const ends = useMemo(() => endsOf(path, leg), [path, leg]);
  const title = trialWords(leg, isJoint(path));
  const about = `${title}, repeat ${trial.repeat}`;
  const shared = { runId: path.run_id, trial, rampNs, unit };
  if (!isJoint(path)) {
    const [sender, receiver] = ["sender", "receiver"].map((role) =>
      path.participants.find((one) => one.role === role),
    );
    const drawn = { setting, leg, trial, sameHost: path.same_host };
    return (
      <>
        <Section title={title} action={switches}>
          <PathDrawing
            sections={pathSections(
              {
                ...drawn,
                ends: { sender: sender?.host ?? "–", receiver: receiver?.host ?? "–" },
                devices: { sender: sender?.devices ?? [], receiver: receiver?.devices ?? [] },
              },
              unit,
            )}
          />
          <PanelBoundary>
            <EndsChart {...shared} ends={ends} about={about} />
          </PanelBoundary>
        </Section>
        <Connection trial={trial} />
      </>
    );
  }
  const pair = shownPair(trial, props.pair);
  return (
    <>
      <Section title={title} action={switches}>
        <FanDrawing {...fanOf(path, leg, trial, setting, unit)} />
        <PairTable
          leg={leg}
          trial={trial}
          unit={unit}
          selected={pair}
          onSelect={props.onSelectPair}
        />
        <PanelBoundary>
          <JointChart {...shared} ends={ends} labels={pairLabels(path)} about={about} />
        </PanelBoundary>
      </Section>
      {pair ? (
        <>
          <Section title={`${pair.source} → ${pair.sink}`}>
            <PathDrawing
              sections={pathSections(
                {
                  setting: { ...setting, bottleneck: null },
                  leg,
                  trial: pair,
                  ends: { sender: pair.source_host, receiver: pair.sink_host },
                  devices: {
                    sender: devicesOf(path, pair.sender_id),
                    receiver: devicesOf(path, pair.receiver_id),
                  },
                  sameHost: pair.source_host === pair.sink_host,
                },
                unit,
              )}
            />
            <PanelBoundary>
              <EndsChart
                {...shared}
                ends={endsOfPair(ends, pair)}
                about={`${about}, ${pair.source} → ${pair.sink}`}
              />
            </PanelBoundary>
          </Section>
          <Connection trial={pair} />
        </>
      ) : null}
    </>
  );
}

function Connection({ trial }: { trial: Pick<PathPair, "link" | "sender" | "receiver"> }) {
  const { link, sender, receiver } = trial;
  return (
    <>
      {link === null ? null : (
        <Section title="Connection">
          <ConnectionFacts connections={[{ name: "Sender", link, sender, receiver }]} />
        </Section>
      )}
      {sender?.placement || receiver?.placement ? (
        <Section title="Placement">
          <PlacementTable sender={sender} receiver={receiver} />
        </Section>
      ) : null}
    </>
  );
}
