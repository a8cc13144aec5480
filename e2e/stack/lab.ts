/** The lab's four hosts (`python -m lab hold`), which reach one another; it needs root. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const ROOT = resolve(import.meta.dirname, "../..");

/** A host of the lab, with the directory of its simulated array. */
export interface LabHost {
  name: string;
  address: string;
  port: number;
  user: string;
  fingerprint: string;
  target: string;
}

export class Lab {
  private constructor(
    private readonly child: ChildProcess,
    readonly hosts: readonly LabHost[],
    /** The private key for logins on all hosts. */
    readonly privateKey: string,
  ) {}

  static async start(): Promise<Lab> {
    const child = spawn(join(ROOT, ".venv/bin/python"), ["-m", "lab", "hold"], {
      cwd: join(ROOT, "e2e"),
      stdio: ["pipe", "pipe", "pipe"],
    });
    let errors = "";
    child.stderr?.on("data", (text) => {
      errors += text;
    });
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const { hosts, private_key } = JSON.parse(line);
      return new Lab(child, hosts, private_key);
    }
    throw new Error(`the lab did not start: ${errors}`);
  }

  /** A host by its name. */
  host(name: string): LabHost {
    const found = this.hosts.find((host) => host.name === name);
    if (!found) throw new Error(`the lab has no host ${name}`);
    return found;
  }

  /** Remove it, and wait until nothing of it is left. */
  async stop(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.stdin?.end();
    const [code] = await ended;
    if (code !== 0) throw new Error(`the lab was not removed: exit code ${code}`);
  }
}
