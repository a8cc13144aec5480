import { SegmentedControl } from "@mantine/core";
import { Section } from "@/components/page/Section";
import { useRateUnit } from "@/components/quantities";
import type { ResultProps } from "@/features/kinds/kind";
import { NoTrial } from "@/features/kinds/NoTrial";
import { settingWords } from "@/features/kinds/path/headline";
import { asPath, type PathTest } from "@/features/kinds/path/shapes";
import { LEGS } from "@/features/kinds/path/words";
import { RepeatSwitch } from "@/features/kinds/RepeatSwitch";
import shared from "@/features/kinds/Result.module.css";
import { ResultTop } from "@/features/kinds/ResultTop";
import { begunOf } from "@/features/kinds/trials";
import { BottleneckEvidence } from "@/features/transfers/BottleneckEvidence";
import { DirectionTable } from "./DirectionTable";
import { FileTable } from "./FileTable";
import { hasFiles } from "./fileRows";
import { LegBars } from "./LegBars";
import { legBars } from "./legRates";
import { PathAnswer } from "./PathAnswer";
import classes from "./PathResult.module.css";
import { isJoint } from "./pairs";
import { SettingGrid } from "./SettingGrid";
import { ShownTrial } from "./ShownTrial";
import { legsOf, settingKey } from "./shown";
import { TrialTable } from "./TrialTable";
import { useShown } from "./useShown";

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
        answer={<PathAnswer result={path} unit={unit} ended={ended} />}
        headline={path.headline}
        notices={children}
        warnings={path.warnings}
        unit={unit}
      />
      {setting && path.settings.length > 1 ? (
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
      {setting ? (
        <>
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
