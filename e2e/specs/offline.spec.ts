import { expect, test } from "../fixtures.ts";
import { pages } from "../pages.ts";

test("no page requests anything from other hosts, and none logs an error", async ({
  page,
  appliance,
  result,
  another,
}) => {
  test.setTimeout(120_000);
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== appliance.url) foreign.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  for (const { path } of pages(result, another)) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
  }
  expect(foreign).toEqual([]);
  expect(errors).toEqual([]);
});
