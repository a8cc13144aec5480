import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { hostQuery } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { addressOf, machineOf } from "../describe";
import { useHostCheck } from "../useHostCheck";
import { ChooseTarget } from "./ChooseTarget";
import { LogIn } from "./LogIn";
import { LookAround } from "./LookAround";
import { Reach } from "./Reach";
import { Step } from "./Step";
import classes from "./Step.module.css";
import { stepStates } from "./stepStates";

const route = getRouteApi("/hosts/new");

/** From an address to a checked host with a target: four steps on one page. */
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
  const [reach, login, look, choose] = stepStates(host);
  return (
    <ol className={classes.steps}>
      <Step
        number={1}
        title="Reach it"
        state={change ? "open" : reach}
        outcome={
          host ? (
            <>
              <strong>{host.name}</strong> <span className="figures">{addressOf(host)}</span>
              {host.host_key ? (
                <>
                  , key approved: <code>{host.host_key.fingerprint}</code>
                </>
              ) : null}{" "}
              <Link to="/hosts/new" search={{ host: host.id, change: "connection" }} replace>
                Change
              </Link>
            </>
          ) : null
        }
      >
        <Reach
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
        outcome={host?.connection === "local" ? "Not needed on this machine." : "Logged in."}
      >
        {host ? <LogIn host={host} /> : null}
      </Step>
      <Step number={3} title="Look around" state={look} outcome={host ? machineOf(host) : null}>
        {host ? <LookAround host={host} /> : null}
      </Step>
      <Step number={4} title="Choose where tests may write" state={choose}>
        {host ? <ChooseTarget host={host} /> : null}
      </Step>
    </ol>
  );
}
