import { Checkbox, Radio, Select } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Criterion, Host, Profile, Target, Test } from "@/api/shapes";
import { Empty, Notice } from "@/components/feedback/Notices";
import { Section } from "@/components/page/Page";
import { HostLegend } from "@/features/hosts/HostLegend";
import { kindOf } from "@/features/kinds/registry";
import { storageOf } from "@/features/targets/describe";
import { CriteriaField, useChecked } from "@/features/verdicts/CriteriaField";
import classes from "./Launch.module.css";
import { chosenTests, type Execution, givenCriteria } from "./plan";

type Props = {
  targets: Target[];
  hosts: Host[];
  chosen: number[];
  onChange: (ids: number[]) => void;
};

/** Selects targets, grouped by host; a host that is not ready shows why. */
export function TargetChoice({ targets, hosts, chosen, onChange }: Props) {
  if (targets.length === 0) {
    return (
      <Empty title="No targets yet">
        A target is a directory on a host that tests may write to.{" "}
        <Link to="/hosts/new">Add a host</Link> first.
      </Empty>
    );
  }
  const toggle = (id: number) =>
    onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  const withTargets = hosts
    .filter((host) => targets.some(({ host_id }) => host_id === host.id))
    .sort((one, other) => one.name.localeCompare(other.name));
  const unknown = chosen.filter((id) => !targets.some((target) => target.id === id));
  return (
    <div className={classes.hosts}>
      {unknown.map((id) => (
        <Checkbox
          key={id}
          checked
          onChange={() => toggle(id)}
          label={`Target ${id}`}
          error="There is no such target. Deselect it."
        />
      ))}
      {withTargets.map((host) => (
        <fieldset key={host.id} className={classes.host}>
          <HostLegend host={host} />
          {targets
            .filter(({ host_id }) => host_id === host.id)
            .map((target) => (
              <Checkbox
                key={target.id}
                className={classes.target}
                checked={chosen.includes(target.id)}
                disabled={host.state !== "ready" && !chosen.includes(target.id)}
                onChange={() => toggle(target.id)}
                label={<code>{target.path}</code>}
                description={storageOf(target)}
              />
            ))}
        </fieldset>
      ))}
    </div>
  );
}

/** Whether each target is measured by itself, all at the same time, or one, then two, … at a time. */
export function ExecutionChoice({
  execution,
  onChange,
  error,
}: {
  execution: Execution;
  onChange: (execution: Execution) => void;
  error: string | undefined;
}) {
  return (
    <Radio.Group
      className={classes.together}
      label="Execution"
      value={execution}
      error={error}
      onChange={(value) => onChange(value as Execution)}
    >
      <div className={classes.options}>
        <Radio
          value="each"
          label="Each target by itself"
          description="Each test runs once per target."
        />
        <Radio
          value="together"
          label="All targets together"
          description="Each test runs once, on all targets at the same time: aggregate rate, shares and fairness."
        />
        <Radio
          value="scale_out"
          label="Scale-out"
          description="Each test runs on the first selected target, then on the first two together, and so on up to all: efficiency against N × one target."
        />
      </div>
    </Radio.Group>
  );
}

interface TestChoiceProps {
  tests: readonly Test[];
  /** The numbers of the tests that run, from 1; all if it is empty. */
  chosen: readonly number[];
  onChange: (numbers: number[]) => void;
  error: string | undefined;
}

/** Selects which tests of a profile run; nothing to select if it has only one. */
export function TestChoice({ tests, chosen, onChange, error }: TestChoiceProps) {
  if (tests.length < 2 && !error) return null;
  const all = tests.map((_, index) => index + 1);
  const shown = chosenTests({ tests: [...chosen] }, all);
  const choose = (values: string[]) => {
    const numbers = all.filter((number) => values.includes(String(number)));
    if (numbers.length > 0) onChange(numbers.length === all.length ? [] : numbers);
  };
  return (
    <Checkbox.Group
      className={classes.together}
      label="Tests of the profile"
      value={shown.map(String)}
      onChange={choose}
      error={error}
    >
      <div className={classes.options}>
        {tests.map((test, index) => (
          <Checkbox
            // biome-ignore lint/suspicious/noArrayIndexKey: the number identifies a test
            key={index}
            value={String(index + 1)}
            label={test.title}
            description={kindOf(test).brief(test)}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}

interface ReadBackChoiceProps {
  targets: Target[];
  hosts: Host[];
  /** The targets that are written. */
  written: number[];
  chosen: number | null;
  onChange: (id: number | null) => void;
  error?: string;
}

/** Selects where another host reads the files back: targets of other hosts, the likely ones first. */
export function ReadBackChoice(props: ReadBackChoiceProps) {
  const { targets, hosts, written, chosen, onChange, error } = props;
  const offered = readersFor(targets, hosts, written);
  const isOffered = chosen === null || offered.some(({ value }) => value === String(chosen));
  return (
    <Select
      className={classes.together}
      label="Read back at"
      description="The same directory as another host of the shared file system sees it. That host is reserved for the run and only reads."
      placeholder="Select a target of another host"
      data={offered}
      value={chosen === null ? null : String(chosen)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      error={
        isOffered ? error : `Target ${chosen} cannot be selected here: another host must have it.`
      }
      clearable
    />
  );
}

/** Whether a source names a server; a device has the same name on many hosts. */
const isServed = (source: string): boolean => source.includes(":") || source.startsWith("//");

/** Targets of hosts that write none of the others, as options; those of the same file system first. */
export function readersFor(targets: Target[], hosts: Host[], written: number[]) {
  const own = targets.filter(({ id }) => written.includes(id));
  const names = new Map(hosts.map(({ id, name }) => [id, name]));
  const alike = (one: Target) =>
    own.some(
      ({ fs_uuid, fs_type, fs_source }) =>
        (fs_uuid && fs_uuid === one.fs_uuid) ||
        (isServed(fs_source) && fs_type === one.fs_type && fs_source === one.fs_source),
    );
  return targets
    .filter(({ host_id }) => !own.some((each) => each.host_id === host_id))
    .map((target) => ({ target, rank: alike(target) ? 0 : 1 }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ target, rank }) => ({
      value: String(target.id),
      label: `${names.get(target.host_id) ?? ""} ${target.path} \u00b7 ${target.fs_type} ${target.fs_source}${rank === 0 ? " \u00b7 same file system" : ""}`,
    }));
}

interface LaunchCriteriaProps {
  profile: Profile;
  criteria: Criterion[];
  onChange: (criteria: Criterion[]) => void;
  /** The tests that run, with what the launch changes in them. */
  tests: readonly Test[];
  /** The server's messages by field. */
  remarks: Record<string, string>;
}

/** The criteria of the profile, and those that this launch adds. */
export function LaunchCriteria(props: LaunchCriteriaProps) {
  const { profile, criteria, onChange, tests, remarks } = props;
  const own = profile.body.criteria ?? [];
  const { checked } = useChecked(own, profile.body.tests);
  const given = givenCriteria({ criteria });
  return (
    <Section title="Acceptance criteria">
      {own.length > 0 ? (
        <>
          <p>From the profile:</p>
          <ul>
            {own.map(({ criterion }) => (
              <li key={criterion}>
                {checked.get(criterion)?.meaning} <code>{criterion}</code>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {remarks.criteria ? <Notice>{remarks.criteria}</Notice> : null}
      <CriteriaField
        label={own.length > 0 ? "Additional criteria" : "Criteria"}
        description="They apply to this launch only."
        criteria={criteria}
        onChange={onChange}
        tests={tests}
        stops
        remark={(criterion) => {
          const index = given.findIndex((one) => one.criterion === criterion);
          return remarks[`criteria.${index}.criterion`];
        }}
      />
    </Section>
  );
}
