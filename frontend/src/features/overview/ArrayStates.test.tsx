import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { ArrayStates } from "./ArrayStates";

vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: "a",
}));

it("names the state of an array and what became of its newest run", () => {
  const newest = { id: 42, state: "failed", verdict: null, ended_at: null } as const;
  rendered(
    <ArrayStates
      arrays={[
        { id: 1, name: "vault", state: "running", newest: null },
        { id: 2, name: "tank", state: "idle", newest },
      ]}
    />,
  );
  const [vault, tank] = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(vault).toBe("vaultrunning");
  expect(tank).toContain("idle");
  expect(tank).toContain("failed");
});
