import { Link } from "@tanstack/react-router";
import { ROLES, useCan } from "@/api/writes";
import type { Filter } from "@/components/list/filters";
import { PageHeader } from "@/components/page/Page";
import classes from "./Settings.module.css";

const TABS = [
  { to: "/settings/tokens", name: "Tokens", role: "viewer" },
  { to: "/settings/credentials", name: "Credentials", role: "operator" },
  { to: "/settings/tools", name: "Tools", role: "viewer" },
  { to: "/settings/users", name: "Users", role: "admin" },
  { to: "/settings/audit", name: "Audit log", role: "admin" },
  { to: "/settings/webhooks", name: "Webhooks", role: "operator" },
  { to: "/settings/storage", name: "Storage", role: "viewer" },
  { to: "/settings/files", name: "Files", role: "operator" },
] as const;

type Props = { title: string; action?: React.ReactNode; children: React.ReactNode };

/** A phone has no room for all tabs: scroll to that of the page. */
function showTab(tabs: HTMLElement | null) {
  const here = tabs?.querySelector<HTMLElement>("[aria-current=page]");
  if (tabs && here) tabs.scrollLeft = here.offsetLeft - (tabs.clientWidth - here.offsetWidth) / 2;
}

/** The frame of the settings pages, with tabs for the user's role. */
export function SettingsPage({ title, action, children }: Props) {
  const may = { viewer: true, operator: useCan("operator"), admin: useCan("admin") };
  return (
    <>
      <PageHeader title={title} parents={["Settings"]} action={action} />
      <nav ref={showTab} className={classes.tabs} aria-label="Settings">
        {TABS.filter(({ role }) => may[role]).map(({ to, name }) => (
          <Link key={to} to={to} className={classes.tab} activeProps={{ "data-here": true }}>
            {name}
          </Link>
        ))}
      </nav>
      {children}
    </>
  );
}

/** A filter of users and tokens by their role. */
export const ROLE_FILTER: Filter = {
  name: "role",
  label: "Role",
  several: true,
  options: ROLES,
};
