/** The whole appliance, started as by `make run`, with a separate home. */

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { end, freePort, until } from "./processes.ts";

const ROOT = resolve(import.meta.dirname, "../..");

export const ADMIN = { name: "admin", password: "correct horse battery staple" };

interface Options {
  /** Measure this machine at the first start. */
  firstLook?: boolean;
  /** Create the administrator from the environment instead of by the setup code. */
  adminPassword?: string | null;
}

export class Appliance {
  private child: ChildProcess | undefined;

  private constructor(
    readonly home: string,
    /** A directory in this machine's memory, for runs that no one else's I/O disturbs. */
    readonly memory: string,
    readonly port: number,
    private readonly options: Options,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The output of the supervisor and its children. */
  get log(): string {
    return readFileSync(join(this.home, "up.log"), "utf8");
  }

  /** The supervisor's process. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  static async start(options: Options = {}): Promise<Appliance> {
    const home = mkdtempSync(join(tmpdir(), "assay-e2e-"));
    const memory = mkdtempSync("/dev/shm/assay-e2e-");
    const appliance = new Appliance(home, memory, await freePort(), options);
    try {
      await appliance.up();
    } catch (error) {
      await appliance.stop();
      throw error;
    }
    return appliance;
  }

  async up(): Promise<void> {
    const password =
      this.options.adminPassword === undefined ? ADMIN.password : this.options.adminPassword;
    const log = createWriteStream(join(this.home, "up.log"), { flags: "a" });
    await new Promise<void>((opened) => log.once("open", () => opened()));
    this.child = spawn(join(ROOT, ".venv/bin/assay"), ["up"], {
      cwd: ROOT,
      stdio: ["ignore", log, log],
      env: {
        ...process.env,
        ASSAY_HOME: this.home,
        ASSAY_PORT: String(this.port),
        ASSAY_FIRST_LOOK: this.options.firstLook ? "yes" : "no",
        ...(password ? { ASSAY_ADMIN_PASSWORD: password } : {}),
      },
    });
    const { child } = this;
    process.once("exit", () => child.kill()); // of a run that is interrupted
    await until(
      `the appliance in ${this.home}`,
      async () => {
        if (this.child?.exitCode !== null) throw new Error(`assay up ended:\n${this.log}`);
        return await this.healthy();
      },
      90,
    );
  }

  /** Ctrl-C, and wait until every process has ended. */
  async down(): Promise<void> {
    if (this.child) await end(this.child);
  }

  async stop(): Promise<void> {
    await this.down();
    for (const folder of [this.home, this.memory]) rmSync(folder, { recursive: true, force: true });
  }

  private async healthy(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/api/v1/health`);
      return response.ok && (await response.json()).status === "ok";
    } catch {
      return false;
    }
  }
}
