/** Start and stop the real programs that the specs run against. */

import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";

/** A port of the loopback interface that nothing listens on. */
export async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** Wait until `check` succeeds; `what` is its name in the error after `seconds`. */
export async function until(
  what: string,
  check: () => Promise<boolean>,
  seconds = 30,
): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not happen within ${seconds} s`);
}

/** Terminate a program and wait for its exit; kill it if it does not exit. */
export async function end(child: ChildProcess, seconds = 20): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
  await ended;
  clearTimeout(killer);
}

/** Running processes, except this one, with `text` in their command line. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text);
      } catch {
        return false; // it has exited since
      }
    })
    .map(Number);
}
