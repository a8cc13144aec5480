import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { LiveMarks, type Place } from "./LiveMarks";

const asked: (number | undefined)[] = [];

vi.mock("@/api/trialQueries", () => ({
  marksQuery: (_: number, { participant }: { participant?: number }) => {
    asked.push(participant);
    return { queryKey: ["marks", participant], queryFn: () => ({ columns: {} }) };
  },
}));
vi.mock("@/api/queries", () => ({ resultQuery: vi.fn() }));
vi.mock("@/charts/Chart", () => ({ Chart: ({ title }: { title: string }) => <h4>{title}</h4> }));

const PLACES: Place[] = [
  { name: "web-1 /mnt/a", parts: [{ operation: "write", participant: 7 }] },
  { name: "web-2 /mnt/b", parts: [{ operation: "write", participant: 8 }] },
];

it("shows the marks of one of several participants, and of another when it is chosen", async () => {
  rendered(<LiveMarks trialId={3} places={PLACES} running />);
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
  rendered(<LiveMarks trialId={3} places={PLACES.slice(0, 1)} running />);
  expect(screen.queryByRole("combobox")).toBeNull();
  expect(screen.getByRole("heading").textContent).toBe("Throughput over data written");
  expect(asked.at(-1)).toBe(7);
});

it("asks for both directions of a target that is written and read", () => {
  asked.length = 0;
  const parts = [...(PLACES[0]?.parts ?? []), { operation: "read" as const, participant: 9 }];
  rendered(<LiveMarks trialId={3} places={[{ name: "web-1 /mnt/a", parts }]} running />);
  expect(screen.getByRole("heading").textContent).toBe("Throughput over data");
  expect(asked).toEqual(expect.arrayContaining([7, 9]));
});
