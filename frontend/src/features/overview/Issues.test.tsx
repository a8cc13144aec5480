import { fireEvent, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { Overview } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { Issues } from "./Issues";

vi.mock("@/features/campaigns/MarkSeen", () => ({
  MarkSeen: ({ ids }: { ids: number[] }) => <button type="button">Mark {ids} as seen</button>,
}));
vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: "a",
  useRouter: () => ({ history: { push: vi.fn() } }),
}));

type Issue = Overview["issues"][number];

const failed = (id: number, name = "Nightly"): Issue => ({
  kind: "run_failed",
  message: `Campaign ${id}, ${name}: Write on web-1 /mnt/a failed`,
  link: `/campaigns/${id}`,
  campaign_id: id,
});

it("links an issue to its page, if there is one", () => {
  const full = "The appliance's disk is full: 0.0 MB left on /var/lib/assay. Free some.";
  const away = "web-1 cannot be reached";
  rendered(
    <Issues
      issues={[
        { kind: "disk_full", message: full, link: null, campaign_id: null },
        { kind: "host", message: away, link: "/hosts/5", campaign_id: null },
      ]}
      hosts={[]}
    />,
  );
  expect(screen.getByText(full).closest("a")).toBeNull();
  expect(screen.getByText("disk space")).toBeTruthy();
  expect(screen.getByText(away).getAttribute("href")).toBe("/hosts/5");
  expect(screen.queryByRole("button")).toBeNull();
});

it("tells failed campaigns of one name apart, and offers to mark each as seen", () => {
  rendered(<Issues issues={[failed(8), failed(7)]} hosts={[]} />);
  const rows = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(rows[0]).toContain("Campaign 8, Nightly");
  expect(rows[1]).toContain("Campaign 7, Nightly");
  expect(screen.getByRole("button", { name: "Mark 7 as seen" })).toBeTruthy();
});

it("shows names as they are", () => {
  rendered(<Issues issues={[failed(7, "<img src=x> & 'b'")]} hosts={[]} />);
  expect(document.querySelector("img")).toBeNull();
  expect(screen.getByText(/<img src=x> & 'b'/)).toBeTruthy();
});

it("folds issues beyond the first", () => {
  rendered(<Issues issues={[1, 2, 3, 4, 5].map((id) => failed(id))} hosts={[]} />);
  expect(screen.getAllByRole("listitem")).toHaveLength(3);
  fireEvent.click(screen.getByRole("button", { name: "Show 2 more issues" }));
  expect(screen.getAllByRole("listitem")).toHaveLength(5);
});
