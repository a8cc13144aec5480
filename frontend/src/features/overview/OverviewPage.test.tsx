import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { Issues } from "./OverviewPage";

vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: "a",
  useRouter: () => ({ history: { push: vi.fn() } }),
}));

it("links an issue to its page, if there is one", () => {
  const full = "The appliance's disk is full: 0.0 MB left on /var/lib/assay. Free some.";
  const away = "web-1 cannot be reached";
  rendered(
    <Issues
      issues={[
        { kind: "disk_full", message: full, link: null },
        { kind: "host", message: away, link: "/hosts/5" },
      ]}
      hosts={[]}
    />,
  );
  expect(screen.getByText(full).closest("a")).toBeNull();
  expect(screen.getByText("disk space")).toBeTruthy();
  expect(screen.getByText(away).getAttribute("href")).toBe("/hosts/5");
});
