import { Button, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import type { Schedule } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { Facts } from "@/components/Facts";
import { Empty } from "@/components/feedback/Empty";
import { Notice } from "@/components/feedback/Notice";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { Section } from "@/components/page/Section";
import { RelativeTime } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import { FireTimes, SkippedTimes } from "./FireTimes";
import { FiringTable } from "./FiringTable";
import { PlanSection } from "./PlanSection";
import { ScheduleForm } from "./ScheduleForm";
import classes from "./Schedules.module.css";
import { scheduleQuery } from "./schedules";
import { datedWords, graceWords, weeklyWords } from "./words";

const route = getRouteApi("/schedules/$id");

/** One schedule: when it fires, what it launches, and what became of each fire time. */
export function SchedulePage() {
  const { id } = route.useParams();
  const schedule = useQuery(scheduleQuery(id));
  const mayChange = useCan("operator");
  return (
    <>
      <PageHeader
        title={schedule.data?.name ?? `Schedule ${id}`}
        parents={[
          <Link key="schedules" to="/schedules">
            Schedules
          </Link>,
        ]}
        aside={schedule.data ? <StateBadge state={schedule.data.state} /> : null}
        action={mayChange && schedule.data ? <RunNow schedule={schedule.data} /> : null}
      />
      <Resolved
        query={schedule}
        what="schedule"
        rows={8}
        elsewhere={<Link to="/schedules">All schedules</Link>}
      >
        {(found) => <ScheduleBody schedule={found} />}
      </Resolved>
    </>
  );
}

function ScheduleBody({ schedule }: { schedule: Schedule }) {
  const mayChange = useCan("operator");
  const { last } = schedule;
  const needsAttention = last !== null && (last.outcome === "refused" || last.outcome === "missed");
  return (
    <>
      {needsAttention ? (
        <Notice
          title={last.outcome === "refused" ? "The last launch was refused" : "Fire time missed"}
        >
          {last.detail}
        </Notice>
      ) : null}
      <Section
        title="Fire times"
        hint={`${schedule.description}, on the clocks of ${schedule.zone}`}
        action={mayChange ? <Changes schedule={schedule} /> : null}
      >
        {schedule.next.length > 0 ? (
          <div className={classes.next}>
            <FireTimes times={schedule.next} label="Next fire times" />
            <SkippedTimes times={schedule.skipped} />
          </div>
        ) : (
          <Empty title={schedule.state === "paused" ? "Paused" : "No fire time in ten years"}>
            {schedule.state === "paused"
              ? "Nothing is launched until the schedule is resumed."
              : "Edit the expression or the blackouts."}
          </Empty>
        )}
        <Facts
          facts={[
            ["Cron expression", <code key="cron">{schedule.cron}</code>],
            ["Time zone", schedule.zone],
            ["Grace", graceWords(schedule.grace_s)],
            ["Blackouts", <Blackouts key="blackouts" schedule={schedule} />],
            [
              "Created",
              <span key="created">
                <RelativeTime at={schedule.created_at} /> by {schedule.created_by}
              </span>,
            ],
          ]}
        />
      </Section>
      <PlanSection schedule={schedule} />
      <Section
        title="Campaigns"
        hint="Each fire time, with its campaign or the reason why none was launched."
        action={
          <Link to="/campaigns" search={{ schedule: String(schedule.id) }}>
            Open in Campaigns
          </Link>
        }
      >
        <FiringTable scheduleId={schedule.id} />
      </Section>
      {mayChange ? <Delete schedule={schedule} /> : null}
    </>
  );
}

function Blackouts({ schedule }: { schedule: Schedule }) {
  const words = [
    ...schedule.weekly_blackouts.map(weeklyWords),
    ...schedule.dated_blackouts.map(datedWords),
  ];
  if (words.length === 0) return "None";
  return (
    <ul className={classes.list}>
      {words.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  );
}

function RunNow({ schedule: { id } }: { schedule: Schedule }) {
  const navigate = useNavigate();
  const run = useWrite(
    "schedules",
    () =>
      unwrap(
        api.POST("/api/v1/schedules/{schedule_id}/run", { params: { path: { schedule_id: id } } }),
      ),
    (campaign) => navigate({ to: "/campaigns/$id", params: { id: campaign.id } }),
  );
  return (
    <>
      {run.error ? <ProblemPanel error={run.error} /> : null}
      <Button loading={run.isPending} onClick={() => run.mutate()}>
        Run now
      </Button>
    </>
  );
}

/** The buttons that pause, resume and edit a schedule. */
function Changes({ schedule }: { schedule: Schedule }) {
  const [editing, setEditing] = useState(false);
  const action = schedule.state === "paused" ? "resume" : "pause";
  const change = useWrite("schedules", () => {
    const params = { path: { schedule_id: schedule.id } };
    return unwrap(
      action === "pause"
        ? api.POST("/api/v1/schedules/{schedule_id}/pause", { params })
        : api.POST("/api/v1/schedules/{schedule_id}/resume", { params }),
    );
  });
  return (
    <div className={classes.actions}>
      {change.error ? <ProblemPanel error={change.error} /> : null}
      <Button variant="default" loading={change.isPending} onClick={() => change.mutate()}>
        {action === "pause" ? "Pause" : "Resume"}
      </Button>
      <Button variant="default" onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Modal
        opened={editing}
        onClose={() => setEditing(false)}
        title={`Edit ${schedule.name}`}
        size="lg"
      >
        <ScheduleForm of={schedule} onSaved={() => setEditing(false)} />
      </Modal>
    </div>
  );
}

function Delete({ schedule: { id, name } }: { schedule: Schedule }) {
  const navigate = useNavigate();
  const remove = useWrite(
    "schedules",
    () =>
      unwrap(
        api.DELETE("/api/v1/schedules/{schedule_id}", { params: { path: { schedule_id: id } } }),
      ),
    () => navigate({ to: "/schedules" }),
  );
  return (
    <div className={classes.delete}>
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <ConfirmButton
        label="Delete schedule"
        question={`Delete ${name}?`}
        consequence="Nothing is launched by it any more. Its campaigns are kept."
        loading={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </div>
  );
}
