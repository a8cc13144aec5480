import { Link } from "@tanstack/react-router";
import type { Run, RunParameters, Test } from "@/api/shapes";
import { AtCommas } from "@/components/AtCommas";
import { Facts } from "@/components/Facts";
import { LabelChips } from "@/components/labels/LabelChips";
import { Section } from "@/components/page/Section";
import { RelativeTime } from "@/components/quantities";
import { placeOf } from "@/features/campaigns/summary";
import { kindOf, parametersOf } from "@/features/kinds/registry";
import { valueText } from "@/features/parameters/parameters";
import classes from "./Conditions.module.css";
import { conditionSize } from "./conditionSize";
import { HostConditions } from "./HostConditions";
import { ofTargets } from "./ofTargets";

type Fact = [name: string, value: React.ReactNode];

/** The conditions of a result: parameters, environment, probe, and notices. */
export function Conditions({ run }: { run: Run }) {
  return (
    <Section title="Conditions">
      <h3 className={classes.title}>Parameters</h3>
      <Facts facts={parameterFacts(run.parameters)} />
      <h3 className={classes.title}>Environment</h3>
      <Facts facts={placeFacts(run)} />
      <HostConditions participants={run.participants} />
      {run.notices.length > 0 ? (
        <>
          <h3 className={classes.title}>Run events</h3>
          <ul className={classes.notices}>
            {[...eventsOf(run)].map(([words, times]) => (
              <li key={words}>
                <span className={classes.when}>
                  <RelativeTime at={times[0]} />
                </span>
                <span>
                  {words}
                  {times.length > 1 ? (
                    <>
                      {" "}
                      ({times.length} times, last <RelativeTime at={times.at(-1)} />)
                    </>
                  ) : null}
                </span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </Section>
  );
}

/** The times of each event, the first one first: a test of many trials repeats some of them. */
function eventsOf(run: Run): Map<string, string[]> {
  const events = new Map<string, string[]>();
  for (const notice of run.notices) {
    const words = noticeWords(run, notice);
    events.set(words, [...(events.get(words) ?? []), notice.at]);
  }
  return events;
}

/** With the target of the probe that reported it, if the run has several. */
function noticeWords(
  { participants }: Run,
  { participant_id, message }: Run["notices"][number],
): string {
  const whose = participants.find(({ id }) => id === participant_id);
  if (participants.length < 2 || !whose) return message;
  return `${whose.host.name} ${whose.target?.path ?? ""}: ${message}`;
}

/** With the labels of the launch form and the profile; sizes are the computed ones. */
function parameterFacts(parameters: RunParameters): Fact[] {
  // a run has all parameters of its test, with resolved values
  const test = parameters as unknown as Test;
  return parametersOf(kindOf(parameters)).map((parameter) => [
    parameter.label,
    parameter.used?.(test) === false
      ? "not used"
      : (parameter.measured?.(parameters) ?? valueText(test, parameter)),
  ]);
}

function placeFacts(run: Run): Fact[] {
  const hosts = [...new Map(run.participants.map(({ host }) => [host.id, host])).values()];
  return [
    [
      hosts.length > 1 ? "Hosts" : "Host",
      hosts.map((host, index) => (
        <span key={host.id}>
          {index > 0 ? ", " : null}
          <Link to="/hosts/$id" params={{ id: host.id }}>
            {host.name}
          </Link>
        </span>
      )),
    ],
    [placeLabel(run), <code key="target">{placeOf(run)}</code>],
    ["Probe", conditionText("probe", run.conditions.probe)],
    ["Started", run.started_at ? <RelativeTime key="started" at={run.started_at} /> : "not yet"],
    ["Ended", run.ended_at ? <RelativeTime key="ended" at={run.ended_at} /> : "not yet"],
    ...labelFacts(run),
    ...ENVIRONMENT.map(
      ([name, label]): Fact => [label, conditionText(name, ofTargets(run, run.conditions[name]))],
    )
      .filter(([, value]) => value !== null)
      .map(
        ([label, value]): Fact => [
          label,
          typeof value === "string" ? <AtCommas key={label} text={value} /> : value,
        ],
      ),
  ];
}

const SUBJECTS = [
  ["host", "Host"],
  ["target", "Target"],
  ["array", "Array"],
] as const;

/** The labels and references that hosts, targets and arrays had at the launch; each once. */
function labelFacts({ participants }: Run): Fact[] {
  return SUBJECTS.flatMap(([subject, name]): Fact[] => {
    const labels = new Map(
      participants
        .flatMap((one) => Object.entries(one.labels[subject] ?? {}))
        .map(([key, value]) => [`${key}=${value}`, [key, value] as const]),
    );
    const references = new Set(participants.flatMap((one) => one.references[subject] ?? []));
    return [
      ...(labels.size > 0
        ? [[`${name} labels`, <LabelChips key={subject} labels={[...labels.values()]} />] as Fact]
        : []),
      ...(references.size > 0 ? [[`${name} reference`, [...references].join(", ")] as Fact] : []),
    ];
  });
}

function placeLabel({ participants }: Run): string {
  if (participants.some(({ role }) => role === "sender")) return "Source → sink";
  return participants.length > 1 ? "Targets" : "Target";
}

/** Properties of the machine and the file system, the most important first. */
const ENVIRONMENT: readonly [name: string, label: string][] = [
  ["fs_type", "File system"],
  ["fs_source", "Source"],
  ["fs_options", "Mount options"],
  ["device", "Device"],
  ["device_model", "Device model"],
  ["scheduler", "I/O scheduler"],
  ["write_cache", "Write cache"],
  ["read_ahead_bytes", "Read-ahead"],
  ["alignment_bytes", "Direct I/O alignment"],
  ["array", "Array"],
  ["array_vendor", "Array vendor"],
  ["array_model", "Array model"],
  ["array_serial", "Array serial number"],
  ["array_firmware", "Array firmware"],
  ["array_raid", "Array RAID layout"],
  ["array_cache_bytes", "Array cache"],
  ["kernel", "Kernel"],
  ["cpu_model", "CPU"],
  ["cpus", "CPUs"],
  ["clocksource", "Clock source"],
  ["mem_total_bytes", "Memory"],
  ["mem_limit_bytes", "Cacheable memory"],
];

function conditionText(name: string, value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (Array.isArray(value)) {
    // one per participant; mount options and names have commas of their own
    return value.map((one) => conditionText(name, one) ?? "none").join("; ");
  }
  return conditionSize(name, value) ?? String(value);
}
