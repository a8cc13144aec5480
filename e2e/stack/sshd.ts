/** A real `sshd` on a loopback port, with temporary keys. */

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

  /** The private key for a login on this host. */
  get privateKey(): string {
    return readFileSync(join(this.folder, "client"), "utf8");
  }

  /** The SHA-256 fingerprint of the host key, as printed by `ssh-keygen -l`. */
  get fingerprint(): string {
    const line = execFileSync("ssh-keygen", ["-lf", join(this.folder, "host.pub")], {
      encoding: "utf8",
    });
    return line.split(" ")[1] ?? "";
  }

  /** Replaces the user's home, so that no file of a test remains there. */
  get home(): string {
    return join(this.folder, "home");
  }

  /** Programs that this host finds before those of the machine; initially none. */
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

  /** Authorize a public key. */
  authorize(publicKey: string): void {
    appendFileSync(join(this.folder, "authorized_keys"), `${publicKey.trim()}\n`);
  }

  /** Another private key for a login on this host, encrypted with a passphrase. */
  lockedKey(passphrase: string): string {
    this.makeKey("locked", passphrase);
    this.authorize(readFileSync(join(this.folder, "locked.pub"), "utf8"));
    return readFileSync(join(this.folder, "locked"), "utf8");
  }

  /** Replace the host key, as on a reinstalled or impersonated machine. */
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
