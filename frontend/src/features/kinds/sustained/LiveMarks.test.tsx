import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { LiveMarks } from "./LiveMarks";

const asked: (number | undefined)[] = [];

vi.mock("@/api/queries", () => ({
  marksQuery: (_: number, { participant }: { participant?: number }) => {
    asked.push(participant);
    return { queryKey: ["marks", participant], queryFn: () => ({ columns: {} }) };
  },
  resultQuery: vi.fn(),
}));
vi.mock("@/charts/Chart", () => ({ Chart: ({ title }: { title: string }) => <h4>{title}</h4> }));

const PARTICIPANTS = [
  { id: 7, name: "web-1 /mnt/a" },
  { id: 8, name: "web-2 /mnt/b" },
];

it("shows the marks of one of several participants, and of another when it is chosen", async () => {
  rendered(<LiveMarks operation="write" trialId={3} participants={PARTICIPANTS} running />);
  expect(screen.getByRole("heading").textContent).toBe(
    "Throughput over data written of web-1 /mnt/a",
  );
  await userEvent.click(screen.getByRole("combobox", { name: "Participant" }));
  await userEvent.click(await screen.findByText("web-2 /mnt/b"));
  expect(screen.getByRole("heading").textContent).toBe(
    "Throughput over data written of web-2 /mnt/b",
  );
  expect(asked).toContain(8);
});

it("has no switch with a single participant", () => {
  rendered(
    <LiveMarks operation="write" trialId={3} participants={PARTICIPANTS.slice(0, 1)} running />,
  );
  expect(screen.queryByRole("combobox")).toBeNull();
  expect(screen.getByRole("heading").textContent).toBe("Throughput over data written");
  expect(asked.at(-1)).toBeUndefined();
});
