/** How long a second start takes, on a home that the first one has made. */

import { test } from "@playwright/test";
import { Appliance } from "../../stack/appliance.ts";
import { until } from "../../stack/processes.ts";
import { record, repeated } from "./figures.ts";

const READY = /ready after ([\d.]+) s/g;
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
      ["every part is ready", starts.map(({ ready }) => ready)],
    ] as const) {
      record({ name: `second start: until ${what}`, unit: "s", values, bar: { most: 5 } });
    }
  } finally {
    await appliance.stop();
  }
});

/** Seconds from the command until health answers, and until the supervisor says that all is up. */
async function timedStart(appliance: Appliance): Promise<{ answers: number; ready: number }> {
  const before = readyLines(appliance);
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const up = appliance.up();
  let answers = Number.NaN;
  while (Number.isNaN(answers)) {
    const healthy = await fetch(`${appliance.url}/api/v1/health`).catch(() => null);
    if (healthy?.ok) answers = seconds();
    else await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  await up;
  await until("the supervisor's word", async () => readyLines(appliance) > before);
  return { answers, ready: seconds() };
}

const readyLines = ({ log }: Appliance): number => [...log.matchAll(READY)].length;
