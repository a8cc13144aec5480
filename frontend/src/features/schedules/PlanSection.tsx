import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, lazyRouteComponent } from "@tanstack/react-router";
import { Suspense } from "react";
import { api, unwrap } from "@/api/client";
import { hostsQuery, targetsQuery } from "@/api/queries";
import type { Schedule } from "@/api/shapes";
import { useCan, useWrite } from "@/api/writes";
import { Facts } from "@/components/Facts";
import { Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { LabelChips } from "@/components/labels/Labels";
import { Section } from "@/components/page/Page";
import { groupsOf, KINDS, kindsOf } from "@/features/kinds/registry";
import { overrideWords, parametersIn } from "@/features/parameters/parameters";
import classes from "./Schedules.module.css";

const OpenInLaunch = lazyRouteComponent(
  () => import("@/features/launch/again/OpenInLaunch"),
  "OpenInLaunch",
);

/** What a schedule launches: profile, places, parameters and criteria. */
export function PlanSection({ schedule }: { schedule: Schedule }) {
  const { plan, profile } = schedule;
  const places = usePlaces(schedule);
  const mayLaunch = useCan("operator");
  const overrides = overrideWords(
    { ...plan.overrides },
    parametersIn(groupsOf(plan.tests ? kindsOf(plan.tests) : KINDS)),
  );
  return (
    <Section
      title="Campaign"
      hint="What is launched at each fire time."
      action={
        mayLaunch && profile ? (
          <Suspense>
            <OpenInLaunch plan={plan} profileId={profile.id} />
          </Suspense>
        ) : null
      }
    >
      {profile === null ? (
        <Notice title="Profile deleted">
          Launches are refused. Create another schedule from the launch form, then delete this one.
        </Notice>
      ) : null}
      {profile?.newest_id ? <Outdated schedule={schedule} /> : null}
      <Facts
        facts={[
          [
            "Profile",
            profile ? (
              <Link key="profile" to="/profiles/$id" params={{ id: profile.id }}>
                {profile.name}, version {profile.version}
              </Link>
            ) : null,
          ],
          ["Campaign name", plan.name ?? schedule.name],
          ["Where", <Places key="places" places={places} />],
          ["Runs", runWords(plan)],
          ["Tests", plan.tests ? plan.tests.map(({ title }) => title).join(", ") : "All"],
          ["Parameters", overrides.length === 0 ? "From profile" : overrides.join("; ")],
          [
            "Criteria",
            plan.criteria?.length
              ? plan.criteria.map(({ criterion }) => criterion).join("; ")
              : "From profile",
          ],
          ["Labels", <LabelChips key="labels" labels={plan.labels ?? {}} />],
          ["Reference", plan.reference],
        ]}
      />
    </Section>
  );
}

const runWords = ({ together, scale_out, arrangement }: Schedule["plan"]): string => {
  if (arrangement === "mesh") return "Mesh of all ends";
  if (scale_out) return "One, then two, … together";
  return together ? "All targets together" : "Each test once per target";
};

function Places({ places }: { places: string[] }) {
  return (
    <ul className={classes.list}>
      {places.map((place) => (
        <li key={place}>{place}</li>
      ))}
    </ul>
  );
}

/** The names of a plan's targets, sources and sinks. */
function usePlaces({ plan }: Schedule): string[] {
  const targets = useQuery(targetsQuery()).data?.items;
  const hosts = useQuery(hostsQuery).data?.items;
  const target = (id: number): string => {
    const found = targets?.find((one) => one.id === id);
    if (found) return `${found.host_name} ${found.path}`;
    return targets ? `Target ${id} (deleted)` : `Target ${id}`;
  };
  const end = (one: NonNullable<Schedule["plan"]["sources"]>[number]): string => {
    if (one.target_id != null) return target(one.target_id);
    const host = hosts?.find(({ id }) => id === one.host_id)?.name;
    return one.target ?? `memory of ${one.host ?? host ?? `host ${one.host_id}`}`;
  };
  return [
    ...(plan.target_ids ?? []).map(target),
    ...(plan.targets ?? []),
    ...(plan.sources ?? []).map((one) => `from ${end(one)}`),
    ...(plan.sinks ?? []).map((one) => `to ${end(one)}`),
  ];
}

/** The profile was changed: figures stay comparable until the new version is chosen. */
function Outdated({ schedule }: { schedule: Schedule }) {
  const mayChange = useCan("operator");
  const { id, etag, plan, profile } = schedule;
  const change = useWrite("schedules", (profile_id: number) =>
    unwrap(
      api.PATCH("/api/v1/schedules/{schedule_id}", {
        params: { path: { schedule_id: id }, header: { "If-Match": etag } },
        body: { plan: { ...plan, profile_id } },
      }),
    ),
  );
  if (!profile?.newest_id) return null;
  const newest = profile.newest_id;
  return (
    <Notice title={`Version ${profile.newest_version} of the profile exists`}>
      <p>This schedule launches version {profile.version}, so that results stay comparable.</p>
      {change.error ? <ProblemPanel error={change.error} /> : null}
      {mayChange ? (
        <Button
          size="xs"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate(newest)}
        >
          Use version {profile.newest_version}
        </Button>
      ) : null}
    </Notice>
  );
}
