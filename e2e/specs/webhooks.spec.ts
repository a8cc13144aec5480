import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";

type Request = { headers: IncomingMessage["headers"]; body: string };

/** A receiver of webhooks on this machine, which answers with `status`. */
async function receiver() {
  const received: Request[] = [];
  const state = { status: 500, received, url: "", close: () => {} };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.writeHead(state.status).end("the receiver's answer");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  state.close = () => server.close();
  return state;
}

test("a webhook is created, tested, resent and disabled in the browser", async ({ page }) => {
  const target = await receiver();
  await page.goto("/settings/webhooks");
  await page.getByRole("button", { name: "New webhook" }).click();
  const dialog = page.getByRole("dialog", { name: "New webhook" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Pipeline of the lab");
  await dialog.getByRole("textbox", { name: "URL" }).fill(target.url);
  await dialog.getByRole("button", { name: "Create webhook" }).click();
  await expect(dialog.getByText(/not a public address/)).toBeVisible();
  await dialog.getByRole("switch", { name: "Allow private addresses" }).check({ force: true });
  await dialog.getByRole("button", { name: "Create webhook" }).click();
  const secret =
    (await page
      .getByRole("status")
      .getByText(/^whsec_/)
      .textContent()) ?? "";
  await expectSound(page);

  await page.getByRole("link", { name: "Pipeline of the lab" }).click();
  await expect(page.getByText("No deliveries yet")).toBeVisible();
  await page.getByRole("button", { name: "Send test event" }).click();
  const row = page.getByRole("table", { name: "Deliveries" }).getByRole("row").nth(1);
  await expect(row).toContainText("The receiver answered 500");
  await expect(row).toContainText("failed");
  target.status = 204;
  await row.getByRole("button", { name: "Resend" }).click();
  await expect(row).toContainText("delivered");
  const [first, second] = target.received;
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  const {
    "webhook-id": id,
    "webhook-timestamp": at,
    "webhook-signature": signed,
  } = second?.headers ?? {};
  const key = Buffer.from(secret.trim().replace("whsec_", ""), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${at}.${second?.body}`).digest("base64");
  expect(signed).toBe(`v1,${mac}`);

  await row.getByRole("button", { name: "Details" }).click();
  const detail = page.getByRole("dialog", { name: /^Delivery/ });
  await expect(detail.getByText("the receiver's answer")).toBeVisible();
  await expectSound(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Disable" }).click();
  await expect(page.getByRole("button", { name: "Enable" })).toBeVisible();
  target.close();
});
