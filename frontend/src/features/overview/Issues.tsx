import { Link, useRouter } from "@tanstack/react-router";
import type { Overview } from "@/api/shapes";
import { StateBadge } from "@/components/state/StateBadge";
import { MarkSeen } from "@/features/campaigns/MarkSeen";
import { FoldedRows } from "./FoldedRows";
import classes from "./Overview.module.css";

const MOST_SHOWN = 3;

interface IssuesProps {
  issues: Overview["issues"];
  hosts: Overview["hosts_with_problems"];
}

/** Issues that need a person, each with a link to where it is resolved. */
export function Issues({ issues, hosts }: IssuesProps) {
  const hostsNotNamed = hosts.filter(
    (host) => !issues.some(({ link }) => link === `/hosts/${host.id}`),
  );
  if (issues.length === 0 && hostsNotNamed.length === 0) {
    return <p className={classes.quiet}>No issues</p>;
  }
  const rows = [
    ...issues.map((issue) => (
      <li key={`${issue.kind} ${issue.link} ${issue.message}`} className={classes.issue}>
        <StateBadge state={issue.kind} />
        <p className={classes.message} title={issue.message}>
          <IssueLink issue={issue} />
        </p>
        {issue.campaign_id == null ? null : <MarkSeen ids={[issue.campaign_id]} compact />}
      </li>
    )),
    ...hostsNotNamed.map((host) => (
      <li key={host.id} className={classes.issue}>
        <StateBadge state={host.state} />
        <p className={classes.message}>
          <Link to="/hosts/$id" params={{ id: host.id }}>
            {host.name}
          </Link>
          {host.state_reason ? `: ${host.state_reason}` : null}
        </p>
      </li>
    )),
  ];
  return <FoldedRows rows={rows} most={MOST_SHOWN} what="issues" />;
}

/** The message, as a link to its page if there is one. */
function IssueLink({ issue: { message, link } }: { issue: Overview["issues"][number] }) {
  const { history } = useRouter();
  if (link === null) return message;
  return (
    <a
      href={link}
      onClick={(event) => {
        event.preventDefault();
        history.push(link);
      }}
    >
      {message}
    </a>
  );
}
