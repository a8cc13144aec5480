import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { hostQuery, isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { CheckProgress } from "../CheckProgress";
import { addressOf, machineOf } from "../describe";
import { useHostCheck } from "../useHostCheck";
import { AddTargets } from "./AddTargets";
import { Connect } from "./Connect";
import { LogIn } from "./LogIn";
import { Step } from "./Step";
import classes from "./Step.module.css";
import { stepStates } from "./stepStates";

const route = getRouteApi("/hosts/new");

/** Add a host in four steps on one page: connect, log in, inspect, add targets. */
export function HostWizardPage() {
  const { host: id, change } = route.useSearch();
  const query = useQuery({ ...hostQuery(id ?? 0), enabled: id !== undefined });
  const check = useHostCheck();
  return (
    <>
      <PageHeader
        title={change ? "Change host" : "Add host"}
        parents={[
          <Link key="hosts" to="/hosts">
            Hosts
          </Link>,
        ]}
      />
      {id === undefined ? (
        <Steps check={check} />
      ) : (
        <Resolved query={query} what="host">
          {(host) => <Steps host={host} check={check} />}
        </Resolved>
      )}
    </>
  );
}

function Steps({ host, check }: { host?: Host; check: ReturnType<typeof useHostCheck> }) {
  const { change } = route.useSearch();
  const navigate = route.useNavigate();
  const [connect, login, inspect, add] = stepStates(host);
  return (
    <ol className={classes.steps}>
      <Step
        number={1}
        title="Connect"
        state={change ? "open" : connect}
        outcome={
          host ? (
            <>
              <strong>{host.name}</strong> <span className="figures">{addressOf(host)}</span>
              {host.host_key ? (
                <>
                  , host key approved: <code>{host.host_key.fingerprint}</code>
                </>
              ) : null}{" "}
              <Link to="/hosts/new" search={{ host: host.id, change: "connection" }} replace>
                Change
              </Link>
            </>
          ) : null
        }
      >
        <Connect
          key={host?.id ?? "new"}
          host={host}
          check={check}
          onMade={(made) => navigate({ search: { host: made.id }, replace: true })}
        />
      </Step>
      <Step
        number={2}
        title="Log in"
        state={login}
        outcome={host?.connection === "local" ? "Not required on this machine." : "Logged in."}
      >
        {host ? <LogIn host={host} /> : null}
      </Step>
      <Step number={3} title="Inspect host" state={inspect} outcome={host ? machineOf(host) : null}>
        {host ? <InspectHost host={host} /> : null}
      </Step>
      <Step number={4} title="Add targets" state={add}>
        {host ? <AddTargets host={host} /> : null}
      </Step>
    </ol>
  );
}

/** Step 3 starts automatically after the login; this shows a failure and offers a retry. */
function InspectHost({ host }: { host: Host }) {
  const check = useHostCheck();
  return (
    <>
      <CheckProgress host={host} />
      {check.error ? <ProblemPanel error={check.error} /> : null}
      <div>
        <Button loading={check.isPending || isChecking(host)} onClick={() => check.mutate(host.id)}>
          Inspect again
        </Button>
      </div>
    </>
  );
}
