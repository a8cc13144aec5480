/** From the click on "Launch campaign" to the first sample on the campaign's page. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { Api, Campaign, Target } from "../../stack/api.ts";
import type { Sshd } from "../../stack/sshd.ts";
import { record, repeated } from "./figures.ts";
import { test } from "./fixtures.ts";
import { testimony, watch } from "./witness.ts";

const FIRST_SAMPLE = "figure .scatterlayer path.js-line";

test("from launch to the first sample, on this machine", async ({ api, freshPage }) => {
  await measure("this machine", api, freshPage, await api.scratch());
});

test("from launch to the first sample, by SSH", async ({ api, sshd, freshPage }) => {
  await measure("a host by SSH", api, freshPage, await checkedHost(api, sshd));
});

type FreshPage = () => Promise<Page>;

async function measure(where: string, api: Api, freshPage: FreshPage, target: Target) {
  const profile = await slowWrite(api, where);
  const values = await repeated(async () => {
    const page = await freshPage();
    await watch(page, { sample: FIRST_SAMPLE });
    await page.goto(`/launch?profile=${profile}&targets=${target.id}`);
    await page.getByRole("button", { name: "Launch campaign" }).click();
    const { at, click } = await testimony(page, "sample");
    await end(api, Number(new URL(page.url()).pathname.split("/").at(-1)));
    await page.context().close();
    return ((at.sample ?? Number.NaN) - click) / 1000;
  });
  record({ name: `launch → first sample drawn, ${where}`, unit: "s", values, bar: { below: 2 } });
}

/** A trial that is still running when its first sample is drawn, and ends soon after. */
async function slowWrite(api: Api, where: string): Promise<number> {
  const test = {
    kind: "matrix",
    operation: "write",
    title: "Write",
    block: [65536],
    threads: [1],
    file_size: "min(2 GB, free / 10)",
    open_mode: "rwd",
    timeout_ms: 20_000,
    repeats: 1,
    sample_ms: 100,
  };
  const made = await api.post<{ id: number }>("/profiles", {
    name: `First sample on ${where}`,
    body: { tests: [test] },
  });
  return made.id;
}

/** Cancel a campaign, and wait until its host is free again. */
async function end(api: Api, id: number): Promise<void> {
  await api.post<Campaign>(`/campaigns/${id}/cancel`);
  await api.ended({ id });
}

async function checkedHost(api: Api, sshd: Sshd): Promise<Target> {
  const path = join(sshd.folder, "scratch");
  mkdirSync(path);
  const { id: credential_id } = await api.post<{ id: number }>("/credentials", {
    name: "bench",
    kind: "private_key",
    private_key: sshd.privateKey,
  });
  const host = await api.post<{ id: number }>("/hosts", {
    name: "by-ssh",
    address: "127.0.0.1",
    port: sshd.port,
    user: sshd.user,
    credential_id,
  });
  await api.post(`/hosts/${host.id}/check?wait=30`);
  await api.post(`/hosts/${host.id}/host-key`, { fingerprint: sshd.fingerprint });
  await api.post(`/hosts/${host.id}/check?wait=30`);
  return await api.post<Target>("/targets", { host_id: host.id, path, root_consent: true });
}
