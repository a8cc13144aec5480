// Sets the color scheme before the first paint, so that a dark page never flashes white.
(() => {
  const kept = localStorage.getItem("mantine-color-scheme-value");
  const dark =
    kept === "dark" || (kept !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();

// Requests what the page shows first while its code is still loading; `api/client.ts` takes the responses.
(() => {
  const { pathname } = location;
  if (pathname === "/login" || pathname === "/setup") return;
  const paths = ["/api/v1/session"];
  const run = /^\/runs\/(\d+)\/?$/.exec(pathname);
  if (run) paths.push(`/api/v1/runs/${run[1]}`, `/api/v1/runs/${run[1]}/result`);
  const requested = paths.map((path) => [path, fetch(path)]);
  for (const [, response] of requested) response.catch(() => {}); // reported where it is used
  globalThis.earlyResponses = new Map(requested);
})();
