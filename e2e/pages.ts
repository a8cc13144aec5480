/** All pages for signed-in users, for checks of every page. */

import type { Campaign } from "./stack/api.ts";

/** `another` is a second finished run, for comparisons. */
export function pages(result: Campaign, another: Campaign): { name: string; path: string }[] {
  const [run, second] = [result.runs[0]?.id, another.runs[0]?.id];
  return [
    { name: "Overview", path: "/" },
    { name: "Campaigns", path: "/campaigns" },
    { name: "Campaign", path: `/campaigns/${result.id}` },
    { name: "Runs", path: "/runs" },
    { name: "Schedules", path: "/schedules" },
    { name: "Result", path: `/runs/${run}` },
    { name: "Hosts", path: "/hosts" },
    { name: "Add host", path: "/hosts/new" },
    { name: "Host", path: "/hosts/1" },
    { name: "Launch", path: "/launch?targets=1" },
    { name: "Arrays", path: "/arrays" },
    { name: "Compare", path: `/compare?runs=${run},${second}` },
    { name: "Profiles", path: "/profiles" },
    { name: "Profile", path: "/profiles/1" },
    { name: "Tokens", path: "/settings/tokens" },
    { name: "Credentials", path: "/settings/credentials" },
    { name: "Tools", path: "/settings/tools" },
    { name: "Users", path: "/settings/users" },
    { name: "Audit log", path: "/settings/audit" },
    { name: "Webhooks", path: "/settings/webhooks" },
    { name: "Storage", path: "/settings/storage" },
    { name: "Files", path: "/settings/files" },
  ];
}
