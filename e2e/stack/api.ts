/** The appliance's API, for the data that a spec needs before it opens a page. */

import { ADMIN, type Appliance } from "./appliance.ts";
import { until } from "./processes.ts";

export type Json = Record<string, unknown>;

/** A run as campaigns list it; the fields that specs look at. */
export interface RunSummary {
  title: string;
  id: number;
  state: string;
  trials_done: number;
  trials_total: number;
}

/** Overrides of a launch whose only trial writes one small file. */
export const SMALLEST = { block: [65_536], threads: [1], repeats: 1 };

/** Overrides of a launch on a disk of any speed, whose trials take 0.3 s and write little. */
export const SLOW = {
  file_size: 100_000_000,
  open_mode: "rwd",
  block: [4096, 8192],
  timeout_ms: 300,
};

export interface Campaign {
  id: number;
  name: string;
  state: string;
  runs: RunSummary[];
}

export interface Host {
  id: number;
  state: string;
}

export interface Target {
  host_name: string;
  id: number;
  host_id: number;
  path: string;
}

/** How a host is reached over SSH. */
export interface Access {
  address?: string;
  port: number;
  user: string;
  privateKey: string;
  fingerprint: string;
}

export class Api {
  private constructor(
    private readonly appliance: Appliance,
    /** The session's cookie, as `name=value`. */
    readonly cookie: string,
    private readonly csrf: string,
  ) {}

  get url(): string {
    return this.appliance.url;
  }

  static async login(appliance: Appliance, user: { name: string; password: string } = ADMIN) {
    const answer = await fetch(`${appliance.url}/api/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(user),
    });
    if (!answer.ok) throw new Error(`login: ${answer.status} ${await answer.text()}`);
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    return new Api(appliance, cookie, ((await answer.json()) as { csrf: string }).csrf);
  }

  async get<T>(path: string): Promise<T> {
    return await this.send<T>("GET", path);
  }

  async post<T>(path: string, body: Json = {}): Promise<T> {
    return await this.send<T>("POST", path, body);
  }

  /** The scratch target on this machine, which the first start registers. */
  async scratch(): Promise<Target> {
    let found: Target | undefined;
    await until("the scratch target", async () => {
      found = (await this.get<{ items: Target[] }>("/targets")).items.find(
        ({ host_name, path }) => host_name === "this machine" && path.endsWith("/scratch"),
      );
      return found !== undefined;
    });
    return found as Target;
  }

  /** A target in this machine's memory. */
  async memory(): Promise<Target> {
    const { items } = await this.get<{ items: Target[] }>("/targets");
    const found = items.find(({ path }) => path === this.appliance.memory);
    if (found) return found;
    const { host_id } = await this.scratch();
    const path = this.appliance.memory;
    return await this.post<Target>("/targets", { host_id, name: "memory", path, reserve_bytes: 0 });
  }

  /** A host that was checked over SSH: key approved, inventory stored. */
  async registered(name: string, access: Access): Promise<Host> {
    const credential = await this.post<{ id: number }>("/credentials", {
      name: `key of ${name}`,
      kind: "private_key",
      private_key: access.privateKey,
    });
    const host = await this.post<Host>("/hosts", {
      name,
      address: access.address ?? "127.0.0.1",
      port: access.port,
      user: access.user,
      credential_id: credential.id,
    });
    const check = `/hosts/${host.id}/check?wait=30`;
    await this.post(check);
    await this.post(`/hosts/${host.id}/host-key`, { fingerprint: access.fingerprint });
    return await this.post<Host>(check);
  }

  /** The newest version of a built-in profile. */
  async profile(slug: string): Promise<number> {
    const { items } = await this.get<{ items: { id: number; slug: string }[] }>("/profiles");
    const found = items.find((profile) => profile.slug === slug);
    if (!found) throw new Error(`no profile ${slug}`);
    return found.id;
  }

  /** Launch a write matrix of small files that is over in seconds; without a target in memory. */
  async launch(name: string, overrides: Json = {}, target?: Target): Promise<Campaign> {
    const place = target ?? (await this.memory());
    return await this.post<Campaign>("/campaigns", {
      name,
      profile_id: await this.profile("filecatalyst-default-write"),
      target_ids: [place.id],
      overrides: {
        file_size: 4_000_000,
        block: [65536, 262144, 1048576],
        threads: [1, 2],
        repeats: 3,
        sample_ms: 100,
        ...overrides,
      },
    });
  }

  /** Wait for a campaign's last run to end. */
  async ended(campaign: { id: number }, seconds = 60): Promise<Campaign> {
    return await this.get<Campaign>(`/campaigns/${campaign.id}?wait=${seconds}`);
  }

  async patch<T>(path: string, body: Json): Promise<T> {
    return await this.send<T>("PATCH", path, body);
  }

  async delete(path: string): Promise<void> {
    await this.send("DELETE", path);
  }

  private async send<T>(method: string, path: string, body?: Json): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        cookie: this.cookie,
        "X-Assay-CSRF": this.csrf,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) {
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    }
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }
}
