import { Link } from "@tanstack/react-router";
import type { Run, RunParameters, Test } from "@/api/shapes";
import { Disclosure } from "@/components/Disclosure";
import { AtCommas, Facts } from "@/components/Facts";
import { LabelChips } from "@/components/labels/Labels";
import { Section } from "@/components/page/Page";
import { counted, RelativeTime } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { placeOf } from "@/features/campaigns/summary";
import { kindOf, parametersOf } from "@/features/kinds/registry";
import { valueText } from "@/features/parameters/parameters";
import { conditionSize, essenceOf, ofTargets, type SharedRow, sharedRows } from "./conditionRows";
import classes from "./Result.module.css";

type Fact = [name: string, value: React.ReactNode];

/** The conditions of a result: parameters, environment, probe, and notices. */
export function Conditions({ run }: { run: Run }) {
  return (
    <Section title="Conditions">
      <Group title="Parameters" essence={briefOf(run.parameters)}>
        <Facts facts={parameterFacts(run.parameters)} />
      </Group>
      <Group title="Environment" essence={environmentText(run)}>
        <Facts facts={placeFacts(run)} />
      </Group>
      <HostConditions participants={run.participants} />
      {run.notices.length > 0 ? (
        <Group title="Run events" essence={counted(run.notices.length, "event")}>
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
        </Group>
      ) : null}
    </Section>
  );
}

interface GroupProps {
  title: string;
  /** What most readers need of it. */
  essence: string;
  children: React.ReactNode;
}

function Group({ title, essence, children }: GroupProps) {
  return (
    <Disclosure
      className={classes.group}
      summary={
        <>
          <h3 className={classes.title}>{title}</h3>{" "}
          <span className={classes.essence}>{essence}</span>
        </>
      }
    >
      {children}
    </Disclosure>
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

/** The test in a few words, as in lists of profiles. */
const briefOf = (parameters: RunParameters): string =>
  kindOf(parameters).brief(parameters as unknown as Test);

/** "alpha, beta, ext4, vda" */
function environmentText({ participants, conditions }: Run): string {
  const hosts = new Set(participants.map(({ host }) => host.name));
  const places = [conditions.fs_type, conditions.device_model ?? conditions.device]
    .flat()
    .filter((value) => typeof value === "string" && value !== "");
  return [...hosts, ...new Set(places)].join(", ");
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
  ["fs_source", "File system source"],
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
  ["array_cache_bytes", "Declared array cache"],
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

/** Conditions of the participants' hosts that may change: at the start and the end of the run. */
function HostConditions({ participants }: { participants: Run["participants"] }) {
  const read = participants
    .filter(({ conditions }) => conditions.start || conditions.end)
    .filter(isFirstOfItsTarget);
  if (read.length === 0) return null;
  const hosts = new Set(read.map(({ host }) => host.id)).size;
  const rows = sharedRows(read);
  const known = rows.filter((row) => row.unread === null);
  const unread = rows.filter((row) => row.unread !== null);
  const differs = known.some(({ ids }) => ids.length < read.length);
  const nameOf = (id: number) => {
    const found = read.find((one) => one.id === id);
    return `${found?.host.name} ${found?.target?.path ?? ""}`.trim();
  };
  /** Whose condition it is; nothing if all have it. */
  const whoseOf = ({ ids }: SharedRow) =>
    ids.length === read.length ? null : ids.map(nameOf).join(", ");
  return (
    <Group title={`${hosts > 1 ? "Hosts" : "Host"} at start and end`} essence={essenceOf(rows)}>
      {known.length > 0 ? (
        <FigureTable caption="Conditions of the hosts at start and end">
          <thead>
            <tr>
              <th scope="col">Condition</th>
              <th scope="col" className={classes.reading}>
                Start
              </th>
              <th scope="col" className={classes.reading}>
                End
              </th>
              {differs ? (
                <th scope="col" className={classes.reading}>
                  Host
                </th>
              ) : null}
            </tr>
          </thead>
          <tbody>
            {known.map((row) => (
              <tr key={`${row.name} ${row.ids[0]}`}>
                <th scope="row">{row.name}</th>
                <td className={classes.reading}>{row.start}</td>
                <td className={classes.reading}>
                  {row.end}
                  {row.changed ? <strong> (changed)</strong> : null}
                </td>
                {differs ? <td className={classes.reading}>{whoseOf(row) ?? "all"}</td> : null}
              </tr>
            ))}
          </tbody>
        </FigureTable>
      ) : null}
      {unread.length > 0 ? (
        <Disclosure
          summary={`Not readable: ${[...new Set(unread.map(({ name }) => name))].join(", ")}`}
        >
          <dl className={classes.unread}>
            {unread.map((row) => (
              <div key={`${row.name} ${row.ids[0]}`}>
                <dt>{[row.name, whoseOf(row)].filter(Boolean).join(", ")}</dt>
                <dd>{row.unread}</dd>
              </div>
            ))}
          </dl>
        </Disclosure>
      ) : null}
    </Group>
  );
}

/** Whether none before it is on the same target, or in the same host's memory: its host is the same. */
const isFirstOfItsTarget = (
  { host, target }: Run["participants"][number],
  place: number,
  all: Run["participants"],
): boolean =>
  all.findIndex((one) => one.host.id === host.id && one.target?.id === target?.id) === place;
