import { Button } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconCircle, IconCircleCheckFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { hostsQuery, overviewQuery } from "@/api/queries";
import type { LatestResult, Overview } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { Empty } from "@/components/feedback/Notices";
import { isFirstLoad, Loading, Resolved, useOnceReady } from "@/components/feedback/Resolved";
import { PageHeader, Section } from "@/components/page/Page";
import { RelativeTime, splitPart, useRateUnit } from "@/components/quantities";
import { Sparkline } from "@/components/Sparkline";
import { StateBadge } from "@/components/state/StateBadge";
import { whereOf } from "@/features/campaigns/summary";
import { useLiveCode } from "@/features/kinds/registry";
import { restText } from "@/features/kinds/results";
import classes from "./Overview.module.css";
import { RunningNow } from "./RunningNow";
import { RESULT_READ, stepsDone } from "./steps";

/** Active runs, open issues and recent results. */
export function OverviewPage() {
  const overview = useQuery(overviewQuery);
  const hasCode = useLiveCode(overview.data?.running.slice(0, 1) ?? []);
  const mayLaunch = useCan("operator");
  const { running = [], queued = [], latest = [] } = overview.data ?? {};
  const runs = running.length + queued.length + latest.length;
  const hosts = useQuery({ ...hostsQuery, enabled: mayLaunch && overview.data && runs === 0 });
  const isComplete = useOnceReady(0, overview.data !== undefined && hasCode && !isFirstLoad(hosts));
  return (
    <>
      <PageHeader
        title="Overview"
        action={
          mayLaunch ? (
            <Button renderRoot={(props) => <Link to="/launch" {...props} />}>
              Launch campaign
            </Button>
          ) : null
        }
      />
      <Resolved query={overview} what="overview" rows={8}>
        {({ running, queued, issues, latest, hosts_with_problems }) =>
          isComplete ? (
            <div className={classes.questions}>
              {mayLaunch ? (
                <div className={classes.first}>
                  <FirstSteps hosts={hosts.data?.items.length ?? 0} runs={runs} latest={latest} />
                </div>
              ) : null}
              <div className={classes.runs}>
                <Section title="Running">
                  <RunningNow running={running} queued={queued} />
                </Section>
              </div>
              <div className={classes.issues}>
                <Section title="Needs attention">
                  <Issues issues={issues} hosts={hosts_with_problems} />
                </Section>
              </div>
              <div className={classes.lately}>
                <Section title="Recent results">
                  <LatestResults latest={latest} />
                </Section>
              </div>
            </div>
          ) : (
            <Loading what="overview" rows={8} />
          )
        }
      </Resolved>
    </>
  );
}

interface FirstStepsProps {
  hosts: number;
  /** Runs that are queued, active or have a result. */
  runs: number;
  latest: readonly LatestResult[];
}

/** The way to a first result, for operators; it disappears step by step. */
function FirstSteps({ hosts, runs, latest }: FirstStepsProps) {
  const [hasRead] = useLocalStorage({ key: RESULT_READ, defaultValue: false });
  const done = stepsDone({ hosts, runs, results: latest.length, hasRead });
  if (done.every(Boolean)) return null;
  const [newest] = latest;
  const steps = [
    {
      title: <Link to="/hosts/new">Add a host</Link>,
      text: "Assay logs in by SSH, inspects the machine, and measures only in directories that you choose.",
    },
    {
      title: <Link to="/launch">Launch a campaign</Link>,
      text: "Select a profile and where it measures. The estimate shows what it writes and how long it takes.",
    },
    {
      title: newest ? (
        <Link to="/runs/$id" params={{ id: newest.run_id }}>
          Read a result
        </Link>
      ) : (
        "Read a result"
      ),
      text: "It begins with the answer; what limits it, and how it was measured, follows.",
    },
  ];
  return (
    <Section title="First steps">
      <ol className={classes.steps}>
        {steps.map(({ title, text }, index) => (
          <li key={text} className={classes.step} data-done={done[index] || undefined}>
            {done[index] ? (
              <IconCircleCheckFilled size={18} aria-hidden="true" />
            ) : (
              <IconCircle size={18} stroke={1.5} aria-hidden="true" />
            )}
            <div>
              <p className={classes.stepTitle}>
                {index + 1}. {title}
                {done[index] ? <span className={classes.word}> done</span> : null}
              </p>
              <p className={classes.text}>{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Issues that need a person, each with a link to where it is resolved. */
export function Issues({
  issues,
  hosts,
}: {
  issues: Overview["issues"];
  hosts: Overview["hosts_with_problems"];
}) {
  const { history } = useRouter();
  const hostsNotNamed = hosts.filter(
    (host) => !issues.some(({ link }) => link === `/hosts/${host.id}`),
  );
  if (issues.length === 0 && hostsNotNamed.length === 0) {
    return <p className={classes.quiet}>No issues</p>;
  }
  return (
    <ul className={classes.rows}>
      {issues.map(({ kind, message, link }) => (
        <li key={`${kind} ${link} ${message}`}>
          <StateBadge state={kind} />
          <p>
            {link === null ? (
              message
            ) : (
              <a
                href={link}
                onClick={(event) => {
                  event.preventDefault();
                  history.push(link);
                }}
              >
                {message}
              </a>
            )}
          </p>
        </li>
      ))}
      {hostsNotNamed.map((host) => (
        <li key={host.id}>
          <StateBadge state={host.state} />
          <p>
            <Link to="/hosts/$id" params={{ id: host.id }}>
              {host.name}
            </Link>
            {host.state_reason ? `: ${host.state_reason}` : null}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The latest results: verdict, headline figure, sparkline and the rest of the headline. */
export function LatestResults({ latest }: { latest: LatestResult[] }) {
  const { unit } = useRateUnit();
  if (latest.length === 0) {
    return (
      <Empty title="No results yet">
        Results appear here when runs finish. <Link to="/hosts/new">Add a host</Link> or{" "}
        <Link to="/launch">launch a campaign</Link>.
      </Empty>
    );
  }
  return (
    <ul className={classes.rows}>
      {latest.map((result) => (
        <li key={result.run_id} className={classes.result}>
          <div>
            <p className={classes.title}>
              {result.verdict ? <StateBadge state={result.verdict.outcome} /> : null}
              <Link to="/runs/$id" params={{ id: result.run_id }}>
                {result.name}: {result.title}
              </Link>
            </p>
            <p className={classes.where}>
              {whereOf(result)}, <RelativeTime at={result.ended_at} />
            </p>
          </div>
          <Sparkline
            values={result.sparkline_bytes_per_s}
            label={`Throughput of the best trial of ${result.title}`}
          />
          <Figure headline={result.headline} />
          {result.headline ? (
            <p className={classes.headline}>{restText(result.headline, unit)}</p>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

/** The headline's figure; nothing where its words say all. */
function Figure({ headline }: Pick<LatestResult, "headline">) {
  const { unit } = useRateUnit();
  if (headline === null) return <p className={classes.figure}>–</p>;
  if (!headline.words.figure) return null;
  const { value, unit: shown } = splitPart(headline.words.figure, unit);
  return (
    <p className={classes.figure}>
      {value} <small>{shown}</small>
    </p>
  );
}
