import { Modal } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate, useRouterState } from "@tanstack/react-router";
import {
  Fragment,
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { overviewQuery } from "@/api/queries";
import { Toasts } from "@/components/feedback/Toasts";
import { Mark } from "@/components/Mark";
import { TopLineProvider } from "@/components/page/Page";
import classes from "./Frame.module.css";
import { PLACES, placeOf } from "./places";
import { sessionEnded } from "./sessionEnded";
import { UserMenu } from "./UserMenu";

/** Loaded when it is first opened: no page waits for it. */
const Search = lazy(() => import("./Search").then((module) => ({ default: module.Search })));

const SignInAgain = lazy(() =>
  import("./SignInAgain").then((module) => ({ default: module.SignInAgain })),
);

/** The layout of a page: navigation rail, top line and content. */
function Frame({ children }: { children: React.ReactNode }) {
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

const BARE = new Set(["/login", "/setup"]);

/** The frame around every page except sign-in and setup. */
export function Root() {
  const { pathname } = useLocation();
  if (BARE.has(pathname)) return <Outlet />;
  return (
    <Frame>
      <Outlet />
    </Frame>
  );
}

/** Count navigations to another page; a change of search parameters is not one. */
function useArrivals(): number {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const [last, setLast] = useState({ path, arrivals: 0 });
  if (path === last.path) return last.arrivals;
  const arrivals = last.path === undefined ? 0 : last.arrivals + 1;
  setLast({ path, arrivals });
  return arrivals;
}

/** How long `g` waits for the second key. */
const SEQUENCE_MS = 1200;

type Actions = { onSearch: () => void; onHelp: () => void };

/** Whether a keystroke is text input rather than a shortcut. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, [role=dialog]") !== null)
  );
}

/** Handle the keyboard shortcuts: `g` and a letter, `/`, `c` and `?`. */
function useShortcuts({ onSearch, onHelp }: Actions): void {
  const navigate = useNavigate();
  const goSince = useRef(0);

  const act = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const going = event.timeStamp - goSince.current < SEQUENCE_MS && goSince.current > 0;
    goSince.current = 0;
    if (going) {
      const place = PLACES.find(({ key }) => key === event.key);
      if (place) {
        event.preventDefault();
        void navigate({ to: place.to });
      }
      return;
    }
    if (event.key === "g") goSince.current = event.timeStamp;
    else if (event.key === "/") onSearch();
    else if (event.key === "?") onHelp();
    else if (event.key === "c") void navigate({ to: "/launch" });
    else return;
    event.preventDefault();
  });

  useEffect(() => {
    const listen = (event: KeyboardEvent) => act(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

const GENERAL: [keys: string[], what: string][] = [
  [["?"], "Show these shortcuts"],
  [["/"], "Search everything"],
  [["c"], "Launch campaign"],
];

/** A dialog that lists the keyboard shortcuts. */
function ShortcutHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const rows = [
    ...GENERAL,
    ...PLACES.map(({ key, name }): [string[], string] => [["g", key], `Go to ${name}`]),
  ];
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <dl className={classes.list}>
        {rows.map(([keys, what]) => (
          <Fragment key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  );
}
