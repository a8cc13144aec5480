// Opens pages of the appliance at URL and waits until each shows its texts:
// node pages.mjs URL PASSWORD '{"/path": ["text", …], …}'. Prints as JSON what each page showed.
import { chromium } from "@playwright/test";

const [url, password, expected] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const context = await browser.newContext({ baseURL: url });
await context.request.post("/api/v1/session", { data: { name: "admin", password } });
const page = await context.newPage();
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));
const shown = {};
for (const [path, texts] of Object.entries(JSON.parse(expected))) {
  await page.goto(path);
  await page
    .waitForFunction(
      (wanted) => {
        const main = document.querySelector("main");
        // what folds belongs to the page
        for (const folded of main?.querySelectorAll("details") ?? []) folded.open = true;
        return wanted.every((text) => main?.innerText.includes(text));
      },
      texts,
      { timeout: 10_000 },
    )
    .catch(() => undefined);
  shown[path] = await page.locator("main").innerText();
}
await browser.close();
console.log(JSON.stringify({ shown, errors }));
