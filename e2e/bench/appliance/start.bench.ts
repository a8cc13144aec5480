/** The duration of a second start, with an existing home. */

import { test } from "@playwright/test";
import { Appliance } from "../../stack/appliance.ts";
import { record, repeated } from "./figures.ts";

const LOOK_EVERY_MS = 20;

test("a second start", async () => {
  const appliance = await Appliance.start();
  try {
    const starts = await repeated(async () => {
      await appliance.down();
      return await timedStart(appliance);
    });
    for (const [what, values] of [
      ["health answers", starts.map(({ answers }) => answers)],
      ["the worker is ready", starts.map(({ ready }) => ready)],
    ] as const) {
      record({ name: `second start: until ${what}`, unit: "s", values, bar: { most: 3 } });
    }
  } finally {
    await appliance.stop();
  }
});

/** Seconds from the command until the API responds, and until the first heartbeat of a worker. */
async function timedStart(appliance: Appliance): Promise<{ answers: number; ready: number }> {
  const [began, date] = [performance.now(), Date.now()];
  const up = appliance.up();
  let answers = Number.NaN;
  for (;;) {
    const health = await ask(appliance);
    const now = (performance.now() - began) / 1000;
    if (health && Number.isNaN(answers)) answers = now;
    if (health?.workers.some(({ seen_at }) => Date.parse(seen_at) >= date)) {
      await up;
      return { answers, ready: now };
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function ask({ url }: Appliance): Promise<{ workers: { seen_at: string }[] } | null> {
  const answer = await fetch(`${url}/api/v1/health`).catch(() => null);
  return answer?.ok ? await answer.json() : null;
}
