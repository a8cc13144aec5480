import { expect, test } from "../fixtures.ts";
import { ADMIN } from "../stack/appliance.ts";

test("a wrong password is reported, the correct one opens the requested page", async ({
  stranger,
}) => {
  await stranger.goto("/hosts");
  await expect(stranger.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await stranger.getByRole("textbox", { name: "Name" }).fill(ADMIN.name);
  await stranger.getByRole("textbox", { name: "Password" }).fill("not the password");
  await stranger.getByRole("button", { name: "Sign in" }).click();
  await expect(stranger.getByText(/password/i).last()).toBeVisible();
  await expect(stranger.getByRole("heading", { name: "Sign in" })).toBeVisible();

  await stranger.getByRole("textbox", { name: "Password" }).fill(ADMIN.password);
  await stranger.getByRole("button", { name: "Sign in" }).click();
  await expect(stranger.getByRole("heading", { name: "Hosts", level: 1 })).toBeVisible();
});
