import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { overviewQuery } from "@/api/queries";
import { useCan } from "@/api/useCan";
import { Loading } from "@/components/feedback/Loading";
import { Resolved } from "@/components/feedback/Resolved";
import { useOnceReady } from "@/components/feedback/useOnceReady";
import { PageHeader } from "@/components/page/PageHeader";
import { Section } from "@/components/page/Section";
import { useLiveCode } from "@/features/kinds/useLiveCode";
import { Issues } from "./Issues";
import { LatestResults } from "./LatestResults";
import classes from "./Overview.module.css";
import { RunningNow } from "./RunningNow";

/** Active runs, open issues and recent results. */
export function OverviewPage() {
  const overview = useQuery(overviewQuery);
  const hasCode = useLiveCode(overview.data?.running.slice(0, 1) ?? []);
  const isComplete = useOnceReady(0, overview.data !== undefined && hasCode);
  const mayLaunch = useCan("operator");
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
