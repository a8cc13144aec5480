/** A real `sshd` on a loopback port, with keys made for the occasion. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { machine, tmpdir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { end, freePort, until } from "./processes.ts";

const BUILDS = resolve(import.meta.dirname, "../../worker/probe/build");

export class Sshd {
  readonly user = userInfo().username;
  private child: ChildProcess | undefined;

  private constructor(
    readonly folder: string,
    readonly port: number,
  ) {}

  /** The private key that opens this host. */
  get privateKey(): string {
    return readFileSync(join(this.folder, "client"), "utf8");
  }

  /** The SHA-256 fingerprint of the host's own key, as `ssh-keygen -l` prints it. */
  get fingerprint(): string {
    const line = execFileSync("ssh-keygen", ["-lf", join(this.folder, "host.pub")], {
      encoding: "utf8",
    });
    return line.split(" ")[1] ?? "";
  }

  /** Stands in for the user's home, so that nothing of a test stays there. */
  get home(): string {
    return join(this.folder, "home");
  }

  /** Programs that this host finds before the machine's own; none at first. */
  get programs(): string {
    return join(this.folder, "programs");
  }

  /**
   * Mean harm: have the probe's `inspect` say what this script makes of `$REAL "$@"`, and lie about
   * the probe's hash.
   */
  inspectBy(script: string): void {
    const real = join(BUILDS, machine(), "assay-probe");
    const hash = createHash("sha256").update(readFileSync(real)).digest("hex");
    const probe = join(this.home, ".cache/assay/probe", hash, "assay-probe");
    mkdirSync(dirname(probe), { recursive: true });
    const lie = `#!/bin/sh\necho '${hash}  -'\n`;
    writeFileSync(join(this.programs, "sha256sum"), lie, { mode: 0o700 });
    const chosen = `[ "$1" != inspect ] || { ${script}; exit; }`;
    writeFileSync(probe, `#!/bin/sh\nREAL=${real}\n${chosen}\nexec $REAL "$@"\n`, { mode: 0o700 });
  }

  static async start(): Promise<Sshd> {
    const sshd = new Sshd(mkdtempSync(join(tmpdir(), "assay-sshd-")), await freePort());
    mkdirSync(sshd.home);
    mkdirSync(sshd.programs);
    sshd.makeKey("client");
    sshd.makeKey("host");
    writeFileSync(
      join(sshd.folder, "authorized_keys"),
      readFileSync(join(sshd.folder, "client.pub"), "utf8"),
      { mode: 0o600 },
    );
    writeFileSync(
      join(sshd.folder, "sshd_config"),
      [
        `Port ${sshd.port}`,
        "ListenAddress 127.0.0.1",
        `HostKey ${join(sshd.folder, "host")}`,
        `PidFile ${join(sshd.folder, "pid")}`,
        `AuthorizedKeysFile ${join(sshd.folder, "authorized_keys")}`,
        "StrictModes no",
        "UsePAM no",
        "PasswordAuthentication no",
        "PermitRootLogin prohibit-password",
        "Subsystem sftp internal-sftp",
        `SetEnv HOME=${sshd.home} PATH=${sshd.programs}:/usr/bin:/bin`,
        "",
      ].join("\n"),
    );
    if (userInfo().uid === 0) mkdirSync("/run/sshd", { recursive: true });
    await sshd.listen();
    return sshd;
  }

  /** Let whoever has the private half of this key in. */
  authorize(publicKey: string): void {
    appendFileSync(join(this.folder, "authorized_keys"), `${publicKey.trim()}\n`);
  }

  /** The private half of another key that opens this host, locked with a passphrase. */
  lockedKey(passphrase: string): string {
    this.makeKey("locked", passphrase);
    this.authorize(readFileSync(join(this.folder, "locked.pub"), "utf8"));
    return readFileSync(join(this.folder, "locked"), "utf8");
  }

  /** Give the host another key, as a reinstalled or an impersonated machine has. */
  async changeHostKey(): Promise<void> {
    await this.halt();
    rmSync(join(this.folder, "host"));
    rmSync(join(this.folder, "host.pub"));
    this.makeKey("host");
    await this.listen();
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private makeKey(name: string, passphrase = ""): void {
    const path = join(this.folder, name);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-f", path]);
  }

  private async listen(): Promise<void> {
    const config = join(this.folder, "sshd_config");
    this.child = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", config], { stdio: "ignore" });
    await until(`sshd on port ${this.port}`, () => answers(this.port));
  }

  private async halt(): Promise<void> {
    if (this.child) await end(this.child);
    this.child = undefined;
  }
}

async function answers(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
