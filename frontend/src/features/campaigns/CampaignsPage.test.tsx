import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { CampaignsPage } from "./CampaignsPage";

vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  useSearch: () => ({}),
  useNavigate: () => () => {},
  Link: "a",
}));

const REFETCH_MS = 5000;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});

afterEach(() => {
  vi.useRealTimers();
});

it("keeps its error while the list is fetched again", async () => {
  const fetch = vi.fn(async () => Response.json({ title: "Out of order" }, { status: 500 }));
  vi.stubGlobal("fetch", fetch);
  rendered(<CampaignsPage />);
  await screen.findByRole("alert");
  const again = vi.fn(() => new Promise(() => {}));
  vi.stubGlobal("fetch", again);
  await act(() => vi.advanceTimersByTimeAsync(REFETCH_MS));
  expect(again).toHaveBeenCalled();
  expect(screen.getByRole("alert")).toBeTruthy();
  expect(screen.queryByText("Loading campaigns")).toBeNull();
});
