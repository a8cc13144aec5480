import { Link, useRouter } from "@tanstack/react-router";
import type { Overview } from "@/api/shapes";
import { StateBadge } from "@/components/state/StateBadge";
import classes from "./Overview.module.css";

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
        <li key={kind + message}>
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
