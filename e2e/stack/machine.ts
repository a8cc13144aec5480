/** Which workers may use the machine at the same time: one whose specs measure is alone on it. */

import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * The folder of the specs that judge rates, flags or charts of what they measure, and their project:
 * other work on the machine would change these.
 */
export const MEASURING = "measuring";

/** A lock on this file is the permission; nothing is written to it. */
const LOCK = import.meta.filename;

/** Wait for the machine, then keep it until the returned function is called or this process ends. */
export async function occupy(how: "alone" | "together"): Promise<() => Promise<void>> {
  const mode = how === "alone" ? "--exclusive" : "--shared";
  const holder = spawn("flock", [mode, LOCK, "sh", "-c", "echo held; exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await Promise.race([
    once(holder.stdout, "data"),
    once(holder, "exit").then(() => {
      throw new Error("flock (util-linux) ended without a lock on the machine");
    }),
  ]);
  return async () => {
    const ended = once(holder, "exit");
    holder.stdin.end();
    await ended;
  };
}
