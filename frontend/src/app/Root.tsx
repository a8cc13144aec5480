import { Outlet, useLocation } from "@tanstack/react-router";
import { Frame } from "./frame/Frame";

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
