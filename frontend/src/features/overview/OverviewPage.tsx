import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hostsQuery, overviewQuery } from "@/api/queries";
import { useCan } from "@/api/writes";
import { isFirstLoad, Loading, Resolved, useOnceReady } from "@/components/feedback/Resolved";
import { PageHeader, Section } from "@/components/page/Page";
import { useLiveCode } from "@/features/kinds/registry";
import { ArrayStates } from "./ArrayStates";
import { FirstSteps } from "./FirstSteps";
import { Issues } from "./Issues";
import { LatestResults } from "./LatestResults";
import classes from "./Overview.module.css";
import { RunningNow } from "./RunningNow";

/** Active and queued runs, open issues, the states of arrays, and recent results. */
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
        {({ running, queued, issues, arrays, latest, hosts_with_problems }) =>
          isComplete ? (
            <div className={classes.questions}>
              {mayLaunch ? (
                <div className={classes.first}>
                  <FirstSteps hosts={hosts.data?.items.length ?? 0} runs={runs} latest={latest} />
                </div>
              ) : null}
              <div>
                <Section title="Running">
                  <RunningNow running={running} queued={queued} />
                </Section>
                <Section title="Needs attention">
                  <Issues issues={issues} hosts={hosts_with_problems} />
                </Section>
                {arrays.length > 0 ? (
                  <Section title="Arrays">
                    <ArrayStates arrays={arrays} />
                  </Section>
                ) : null}
              </div>
              <div>
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
