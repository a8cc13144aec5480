import { expect, test } from "../fixtures.ts";
import { Api } from "../stack/api.ts";
import { ADMIN } from "../stack/appliance.ts";

test("what was typed survives the end of the session", async ({ appliance, result, stranger }) => {
  const own = await Api.login(appliance);
  const [name = "", value = ""] = own.cookie.split("=");
  await stranger.context().addCookies([{ name, value, url: own.url, httpOnly: true }]);
  await stranger.goto(`/campaigns/${result.id}`);
  await stranger.getByRole("button", { name: /^(Add|Edit) notes$/ }).click();
  await stranger.getByLabel("Text").fill("ten minutes of typing");
  await stranger.context().clearCookies();
  await stranger.getByRole("button", { name: "Save notes" }).click();
  const dialog = stranger.getByRole("dialog", { name: "Sign in again" });
  await expect(dialog.getByRole("textbox", { name: "Name" })).toHaveValue(ADMIN.name);
  await stranger.keyboard.press("Escape");
  await dialog.getByLabel("Password").fill("wrong");
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByLabel("Password").fill(ADMIN.password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog).toBeHidden();
  await expect(stranger.getByLabel("Text")).toHaveValue("ten minutes of typing");
  await stranger.getByRole("button", { name: "Save notes" }).click();
  await expect(stranger.getByRole("region", { name: "Notes" })).toContainText("Changed");
});
