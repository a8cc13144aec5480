import { expect, test } from "../fixtures.ts";

test("a viewer can read results but not launch", async ({ stranger, api, result }) => {
  const user = { name: "vera", password: "only looks at things" };
  await api.post("/users", { ...user, role: "viewer" });
  await stranger.goto("/login");
  await stranger.getByRole("textbox", { name: "Name" }).fill(user.name);
  await stranger.getByRole("textbox", { name: "Password" }).fill(user.password);
  await stranger.getByRole("button", { name: "Sign in" }).click();
  await expect(stranger.getByRole("heading", { name: "Overview" })).toBeVisible();
  await stranger.goto(`/runs/${result.runs[0]?.id}`);
  await expect(stranger.getByRole("gridcell", { name: /durable, mean/ }).first()).toBeVisible();
  await stranger.goto("/launch");
  await expect(stranger.getByRole("button", { name: "Launch campaign" })).toBeDisabled();
  await expect(stranger.getByText(/operator role/)).toBeVisible();
});
