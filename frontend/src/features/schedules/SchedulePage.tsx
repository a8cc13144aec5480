import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import type { Firing, Schedule } from "@/api/shapes";
import { useCan, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { Facts } from "@/components/Facts";
import { Empty, Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader, Section } from "@/components/page/Page";
import { RelativeTime } from "@/components/quantities";
import { OutcomeBadge, StateBadge } from "@/components/state/StateBadge";
import { columnsOf, DataTable, OlderRows } from "@/components/table/DataTable";
import { FireTimes, SkippedTimes } from "./FireTimes";
import { PlanSection } from "./PlanSection";
import { ScheduleForm } from "./ScheduleForm";
import classes from "./Schedules.module.css";
import { datedWords, firingsQuery, graceWords, scheduleQuery, weeklyWords } from "./schedules";

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
        hint={`${schedule.description} in ${schedule.zone}`}
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

const column = columnsOf<Firing>();

const COLUMNS = column.columns([
  column.accessor("due_at", {
    header: "Fire time",
    meta: { narrow: "lead" },
    cell: ({ row: { original: firing } }) => (
      <>
        <RelativeTime at={firing.due_at} />
        {firing.by_hand ? <span className={`unfolded ${classes.under}`}>run by hand</span> : null}
        {firing.times > 1 ? (
          <span className={`unfolded ${classes.under}`}>
            and {firing.times - 1} more until <RelativeTime at={firing.last_due_at} />
          </span>
        ) : null}
      </>
    ),
  }),
  column.accessor("outcome", {
    header: "Outcome",
    meta: { narrow: "second" },
    cell: ({ getValue }) => <StateBadge state={getValue()} />,
  }),
  column.accessor((firing) => firing.campaign?.id ?? 0, {
    id: "campaign",
    header: "Campaign",
    meta: { narrow: "lead" },
    cell: ({ row: { original: firing } }) => <CampaignOf firing={firing} />,
  }),
  column.accessor((firing) => firing.campaign?.state ?? "", {
    id: "state",
    header: "Result",
    meta: { narrow: "figure" },
    cell: ({ row: { original: firing } }) =>
      firing.campaign ? (
        <OutcomeBadge outcome={firing.campaign.verdict} state={firing.campaign.state} />
      ) : (
        "–"
      ),
  }),
  column.accessor((firing) => firing.detail ?? firing.campaign?.waits_for ?? "", {
    id: "detail",
    header: "Detail",
    meta: { narrow: "second" },
    cell: ({ getValue }) => getValue() || "–",
  }),
]);

function CampaignOf({ firing: { campaign, outcome } }: { firing: Firing }) {
  if (campaign) {
    return (
      <Link to="/campaigns/$id" params={{ id: campaign.id }}>
        {campaign.name} <span className="figures">#{campaign.id}</span>
      </Link>
    );
  }
  return outcome === "launched" ? "Deleted" : "–";
}

/** What became of a schedule's fire times, newest first, with the campaigns. */
function FiringTable({ scheduleId }: { scheduleId: number }) {
  const list = useInfiniteQuery(firingsQuery(scheduleId));
  return (
    <>
      <Resolved query={list} what="fire times" rows={3}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          if (rows.length === 0) {
            return (
              <Empty title="Not fired yet">
                Each fire time appears here with its campaign, or with the reason why there is none.
              </Empty>
            );
          }
          return (
            <DataTable
              caption="Fire times"
              columns={COLUMNS}
              rows={rows}
              rowId={({ id }) => id}
              sortedBy="-due_at"
            />
          );
        }}
      </Resolved>
      <OlderRows list={list} what="fire times" />
    </>
  );
}
