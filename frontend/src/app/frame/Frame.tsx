import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useState, useSyncExternalStore } from "react";
import { overviewQuery } from "@/api/queries";
import { Toasts } from "@/components/feedback/Toasts";
import { Mark } from "@/components/Mark";
import { TopLineProvider } from "@/components/page/TopLine";
import classes from "./Frame.module.css";
import { PLACES, placeOf } from "./places";
import { ShortcutHelp } from "./ShortcutHelp";
import { sessionEnded } from "./sessionEnded";
import { UserMenu } from "./UserMenu";
import { useArrivals } from "./useArrivals";
import { useShortcuts } from "./useShortcuts";

/** Loaded when it is first opened: no page waits for it. */
const Search = lazy(() => import("./Search").then((module) => ({ default: module.Search })));

const SignInAgain = lazy(() =>
  import("./SignInAgain").then((module) => ({ default: module.SignInAgain })),
);

/** The layout of a page: navigation rail, top line and content. */
export function Frame({ children }: { children: React.ReactNode }) {
  const arrivals = useArrivals();
  const isSignedOut = useSyncExternalStore(sessionEnded.subscribe, sessionEnded.get);
  const [topLine, setTopLine] = useState<HTMLElement | null>(null);
  const [dialog, setDialog] = useState<"search" | "help" | null>(null);
  const [hasSearched, setHasSearched] = useState(false);
  const close = () => setDialog(null);
  const search = () => {
    setHasSearched(true);
    setDialog("search");
  };
  useShortcuts({ onSearch: search, onHelp: () => setDialog("help") });
  const overview = useQuery({ ...overviewQuery, refetchInterval: 10_000 });
  const place = useLocation({ select: ({ pathname }) => placeOf(pathname) });
  const running = (overview.data?.running.length ?? 0) > 0;

  return (
    <div className={classes.frame}>
      <a className={classes.skip} href="#page">
        Skip to content
      </a>
      <nav className={classes.rail} aria-label="Main">
        <Link to="/" className={classes.mark} aria-label="Assay, overview">
          <Mark running={running} />
          <span>Assay</span>
        </Link>
        {PLACES.map(({ to, name, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className={classes.place}
            activeOptions={{ exact: to === "/" }}
            activeProps={{ "data-here": true }}
            {...(place === to ? { "data-here": true } : {})}
          >
            <Icon size={20} stroke={1.5} aria-hidden="true" />
            <span>{name}</span>
          </Link>
        ))}
      </nav>
      <section className={classes.top} aria-label="This page">
        <div className={classes.topLine} ref={setTopLine} />
        <button type="button" className={classes.search} aria-label="Search" onClick={search}>
          <IconSearch size={18} stroke={1.5} aria-hidden="true" />
          <span>Search</span> <kbd>/</kbd>
        </button>
        <UserMenu onHelp={() => setDialog("help")} />
      </section>
      <main id="page" className={classes.page} tabIndex={-1}>
        <TopLineProvider value={{ element: topLine, arrivals }}>{children}</TopLineProvider>
      </main>
      {hasSearched ? (
        <Suspense fallback={null}>
          <Search opened={dialog === "search"} onClose={close} />
        </Suspense>
      ) : null}
      {isSignedOut ? (
        <Suspense fallback={null}>
          <SignInAgain />
        </Suspense>
      ) : null}
      <Toasts />
      <ShortcutHelp opened={dialog === "help"} onClose={close} />
    </div>
  );
}
