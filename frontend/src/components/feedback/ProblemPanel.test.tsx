import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { Problem } from "@/api/client";
import { rendered } from "@/components/rendered";
import { ProblemPanel } from "./ProblemPanel";

it("shows what happened, why, and what to do, for each field", () => {
  const error = new Problem({
    title: "It does not fit",
    status: 422,
    detail: "The campaign needs 2.00 TB and 1.00 TB are free.",
    errors: [
      { field: "tests.0.file_size", message: "is too large", remedy: "Give 500 GB or less." },
    ],
  });
  rendered(<ProblemPanel error={error} />);
  const panel = screen.getByRole("alert");
  expect(panel.textContent).toContain("It does not fit");
  expect(panel.textContent).toContain("1.00 TB are free");
  expect(panel.textContent).toContain("tests.0.file_size Is too large. Give 500 GB or less.");
});

it("shows reason and remedy as one paragraph", () => {
  const error = new Problem({
    title: "Runs use this host",
    status: 409,
    detail: "Runs on Rack 1. left use it.",
    remedy: "Cancel their campaigns.",
  });
  rendered(<ProblemPanel error={error} />);
  expect(screen.getByText("Runs on Rack 1. left use it. Cancel their campaigns.")).toBeTruthy();
});

it("names invalid fields once", () => {
  const error = new Problem({
    title: "Some fields are not valid",
    status: 422,
    detail: "sort: must be one of id, name",
    errors: [{ field: "sort", message: "must be one of id, name", remedy: null }],
    detail_repeats_errors: true,
  });
  rendered(<ProblemPanel error={error} />);
  expect(screen.getAllByText(/ust be one of id, name/)).toHaveLength(1);
});

it("links elsewhere instead of a retry if the object does not exist", () => {
  const error = new Problem({ title: "Not found", status: 404 });
  rendered(<ProblemPanel error={error} retry={() => {}} elsewhere={<a href="/all">All</a>} />);
  expect(screen.getByRole("link", { name: "All" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

it("offers a retry if there is one", async () => {
  const retry = vi.fn();
  rendered(<ProblemPanel error={new Error("no answer")} retry={retry} />);
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(retry).toHaveBeenCalledOnce();
});
