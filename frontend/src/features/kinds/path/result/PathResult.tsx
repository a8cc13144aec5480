import { SegmentedControl } from "@mantine/core";
import { Section } from "@/components/page/Page";
import { formatShare, useRateUnit } from "@/components/quantities";
import type { ResultProps } from "@/features/kinds/kind";
import {
  asPath,
  hourlyText,
  LEGS,
  type Path,
  type PathTest,
  type Scorecard,
  settingWords,
} from "@/features/kinds/path/path";
import { NoTrial, RepeatSwitch, ResultTop, useShownSearch } from "@/features/kinds/ResultParts";
import shared from "@/features/kinds/ResultParts.module.css";
import { begunOf } from "@/features/kinds/results";
import { cardSpeed } from "@/features/targets/describe";
import { BottleneckEvidence } from "@/features/transfers/TransferFacts";
import { DirectionTable } from "./DirectionTable";
import { FileTable, hasFiles } from "./FileTable";
import { LegBars, legBars } from "./LegBars";
import classes from "./Path.module.css";
import { isJoint } from "./pairs";
import { SettingGrid } from "./SettingGrid";
import { ShownTrial } from "./ShownTrial";
import { legsOf, type ShownSearch, settingKey, shownIn } from "./shown";
import { TrialTable } from "./TrialTable";

/** The answer, what limits the transfer, its legs, the path with its loads, and both ends over time. */
export function PathResult({ result, run, ended, children }: ResultProps) {
  const path = asPath(result);
  const { unit } = useRateUnit();
  const { setting, leg, trial, pair, change, chart } = useShown(path);
  const legs = setting ? legsOf(path, setting) : [];
  const begun = legs.filter((one) => begunOf(one).length > 0);
  return (
    <>
      <ResultTop
        headline={path.headline}
        ended={ended}
        more={<ScorecardLine scorecard={path.scorecard} />}
        notices={children}
        warnings={path.warnings}
        unit={unit}
      />
      {setting ? (
        <>
          <div className={classes.pictures}>
            {path.settings.length > 1 ? (
              <Section
                title="Streams and blocks"
                hint="The transfer's rate; a cell selects what is shown below."
              >
                <SettingGrid
                  result={path}
                  unit={unit}
                  selected={settingKey(setting)}
                  onSelect={(key) => change({ setting: key, repeat: undefined })}
                />
              </Section>
            ) : null}
            <Section
              title="Legs"
              hint={
                setting.expected_bytes_per_s === null ? (
                  settingWords(setting, isJoint(path))
                ) : (
                  <>
                    {settingWords(setting, isJoint(path))}.{" "}
                    <span className={classes.expected} aria-hidden="true" />
                    Dashed: predicted from the legs.
                  </>
                )
              }
            >
              <LegBars
                legs={legBars(legs, setting, unit)}
                expected={setting.expected_bytes_per_s}
                unit={unit}
                selected={leg?.leg}
                onSelect={(name) => change({ leg: name, repeat: undefined })}
              />
            </Section>
          </div>
          {path.full_duplex ? (
            <Section
              title="Directions"
              hint="Means of the reliable trials, while both directions moved data."
            >
              <DirectionTable path={path} legs={legs} campaignId={run.campaign_id} unit={unit} />
            </Section>
          ) : null}
          {setting.bottleneck ? (
            <Section title="Bottleneck">
              <BottleneckEvidence bottleneck={setting.bottleneck} unit={unit} />
            </Section>
          ) : null}
        </>
      ) : null}
      {setting && leg && trial ? (
        <>
          <div ref={chart} className={shared.trial}>
            <ShownTrial
              path={path}
              setting={setting}
              leg={leg}
              trial={trial}
              pair={pair}
              rampNs={leg.leg === "memory" ? rampNsOf(run.parameters) : 0}
              unit={unit}
              onSelectPair={(position) => change({ pair: String(position) })}
              switches={
                <div className={shared.switches}>
                  {begun.length > 1 ? (
                    <SegmentedControl
                      size="xs"
                      aria-label="Leg"
                      value={leg.leg}
                      onChange={(name) => change({ leg: name, repeat: undefined })}
                      data={begun.map((one) => ({ value: one.leg, label: LEGS[one.leg].title }))}
                    />
                  ) : null}
                  <RepeatSwitch
                    trials={begunOf(leg)}
                    shown={trial.repeat}
                    onChange={(repeat) => change({ repeat })}
                  />
                </div>
              }
            />
          </div>
          <Section title="Trials">
            <TrialTable
              legs={legs}
              unit={unit}
              selected={trial.id}
              onSelect={(of, { repeat }) => change({ leg: of.leg, repeat: String(repeat) })}
            />
          </Section>
          {hasFiles(legs) ? (
            <Section
              title="Small files"
              hint="Opening (at the sink, creating) and closing each, beside the large ones. The share is that of both calls."
            >
              <FileTable legs={legs} />
            </Section>
          ) : null}
        </>
      ) : (
        <NoTrial ended={ended} />
      )}
    </>
  );
}

const rampNsOf = (parameters: object): number => ((parameters as PathTest).ramp_ms ?? 0) * 1e6;

/** What the page shows; a change keeps the setting and the leg, which may be defaults. */
function useShown(result: Path) {
  const { search, change, chart } = useShownSearch<ShownSearch>();
  const shown = shownIn(result, search);
  const setting = shown.setting ? settingKey(shown.setting) : undefined;
  const kept = { setting, leg: shown.leg?.leg };
  return {
    ...shown,
    pair: search.pair,
    change: (changed: ShownSearch) => change({ ...kept, ...changed }),
    chart,
  };
}

/** What ESnet's scorecard expects of the transfer. */
function ScorecardLine({ scorecard }: { scorecard: Scorecard | null }) {
  const line = scorecard && scorecardWords(scorecard);
  return line ? <p className={classes.scorecard}>{line}</p> : null;
}

/** ESnet's scorecard in one line; null without a card's speed or a rate. */
export function scorecardWords(scorecard: Scorecard): string | null {
  const {
    link_bits_per_s: speed,
    required_tb_per_hour: required,
    tb_per_hour: reached,
  } = scorecard;
  if (speed === null || required === null || reached === null) return null;
  const verdict = scorecard.meets ? "met" : `missed by ${formatShare(1 - reached / required)}`;
  return `ESnet scorecard: a transfer node with a ${cardSpeed(speed)} card should move ${hourlyText(required)}; ${verdict} with ${hourlyText(reached)}.`;
}
