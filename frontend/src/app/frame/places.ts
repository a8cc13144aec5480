import {
  IconArrowsDiff,
  IconChecklist,
  IconDatabase,
  IconHome,
  IconServer,
  IconSettings,
  IconTable,
} from "@tabler/icons-react";

/** The entries of the navigation rail, with the key that follows `g`. */
export const PLACES = [
  { to: "/", name: "Overview", key: "o", icon: IconHome },
  { to: "/campaigns", name: "Campaigns", key: "c", icon: IconTable },
  { to: "/hosts", name: "Hosts", key: "h", icon: IconServer },
  { to: "/arrays", name: "Arrays", key: "a", icon: IconDatabase },
  { to: "/compare", name: "Compare", key: "m", icon: IconArrowsDiff },
  { to: "/profiles", name: "Profiles", key: "p", icon: IconChecklist },
  { to: "/settings", name: "Settings", key: "s", icon: IconSettings },
] as const;

/** The entry to which a page without one of its own belongs. */
export const placeOf = (path: string): string | undefined =>
  /^\/(runs|schedules)(\/|$)/.test(path) ? "/campaigns" : undefined;
