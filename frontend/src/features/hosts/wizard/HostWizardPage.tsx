import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import { hostQuery, isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { useVersion } from "@/api/writes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { PageHeader } from "@/components/page/Page";
import { CredentialChoice } from "@/features/credentials/CredentialForm";
import { CheckProgress, useCacheHost, useHostCheck } from "@/features/hosts/HostCheck";
import { addressOf, machineOf } from "@/features/targets/describe";
import { AddTargets } from "./AddTargets";
import { Connect } from "./Connect";
import classes from "./HostWizard.module.css";

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

/** Step 2 starts automatically after the key's approval; this shows a failure and offers a retry. */
function LogIn({ host }: { host: Host }) {
  const cache = useCacheHost();
  const check = useHostCheck();
  const version = useVersion(host);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { user: host.user ?? "", credential_id: host.credential_id },
    changed: "hosts",
    send: (body) =>
      unwrap(
        api.PATCH("/api/v1/hosts/{host_id}", {
          params: { path: { host_id: host.id }, header: version.header() },
          body,
        }),
      ),
    onSaved: (saved) => {
      cache(saved);
      version.saved(saved);
      check.mutate(saved.id);
    },
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <CheckProgress host={host} />
      <TextInput
        label="User"
        required
        autoComplete="off"
        styles={{ input: { fontFamily: "var(--font-figures)" } }}
        {...form.getInputProps("user")}
      />
      <CredentialChoice
        value={form.values.credential_id}
        onChange={(id) => form.setFieldValue("credential_id", id)}
        error={form.errors.credential_id}
      />
      {problem ? <ProblemPanel error={problem} /> : null}
      {check.error ? <ProblemPanel error={check.error} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending || check.isPending || isChecking(host)}>
          Log in
        </Button>
      </div>
    </form>
  );
}

type Props = {
  number: number;
  title: string;
  /** Closed until the previous step is complete, then open, then complete. */
  state: "closed" | "open" | "held";
  /** A line that summarizes the completed step. */
  outcome?: React.ReactNode;
  children: React.ReactNode;
};

/** One step of the wizard; it opens when the previous one is complete. */
function Step({ number, title, state, outcome, children }: Props) {
  return (
    <li
      className={classes.step}
      data-state={state}
      aria-current={state === "open" ? "step" : undefined}
    >
      <span className={classes.number} aria-hidden="true">
        {state === "held" ? "✓" : number}
      </span>
      <div>
        <h2 className={classes.title}>
          <span className="visually-hidden">Step {number}: </span>
          {title}
        </h2>
        {state === "held" && outcome ? <div className={classes.outcome}>{outcome}</div> : null}
        {state === "open" ? <div className={classes.content}>{children}</div> : null}
      </div>
    </li>
  );
}

export type StepState = "closed" | "open" | "held";

/** The check's steps that belong to each step of the wizard. */
const REACHING = new Set<string | null | undefined>([
  undefined,
  null,
  "resolve",
  "jump host",
  "key",
]);
const LOGGING_IN = new Set<string | null | undefined>([...REACHING, "login"]);

/**
 * Return the states of the four steps: connect, log in, inspect host, add targets. Each opens when
 * the previous one is complete according to the latest check: an earlier login does not count when
 * the latest one failed.
 */
export function stepStates(host: Host | undefined): [StepState, StepState, StepState, StepState] {
  if (!host) return ["open", "closed", "closed", "closed"];
  if (host.state === "ready") return ["held", "held", "held", "open"];
  if (host.connection === "local") return ["held", "held", "open", "closed"];
  if (!isReached(host)) return ["open", "closed", "closed", "closed"];
  return isLoggedIn(host)
    ? ["held", "held", "open", "closed"]
    : ["held", "open", "closed", "closed"];
}

function isReached({ state, host_key, host_authority, check }: Host): boolean {
  const isTrusted = host_key !== null || (host_authority ?? null) !== null;
  if (!isTrusted || state === "key_unapproved" || state === "key_changed") return false;
  return state !== "unreachable" || !REACHING.has(check?.step);
}

function isLoggedIn({ check, last_seen_at }: Host): boolean {
  if (!check || check.state === "ok") return last_seen_at !== null;
  return !LOGGING_IN.has(check.step);
}
