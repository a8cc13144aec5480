import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { Profile } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { EMPTY } from "./link";
import { offeredProfiles, ProfileChoice } from "./ProfileChoice";
import { estimate } from "./testEstimate";

function profileOf(id: number, name: string, ...kinds: string[]): Profile {
  return {
    id,
    slug: name.toLowerCase().replaceAll(" ", "-"),
    name,
    version: 1,
    builtin: true,
    description: `What ${name} is for`,
    body: { tests: kinds.map((kind) => ({ kind, title: kind })) },
  } as unknown as Profile;
}

const LOOK = profileOf(1, "First look", "matrix");
const OWL = profileOf(2, "Owl", "sustained");
const LINE = profileOf(3, "Line rate", "sustained");
const BOTH = profileOf(4, "Acceptance", "matrix", "path");
const ALL = [LOOK, OWL, LINE, BOTH];
const USED = new Map([
  ["line-rate", "2026-03-02T00:00:00Z"],
  ["acceptance", "2026-03-01T00:00:00Z"],
]);

const asked = vi.fn();
let answer = estimate;
beforeEach(() => {
  asked.mockClear();
  answer = estimate;
  vi.stubGlobal("fetch", async (request: Request) => {
    asked(await request.json());
    return Response.json(answer);
  });
});

it("offers the profiles that answer a question, recently used ones first", () => {
  expect(offeredProfiles(ALL, USED, "sustained", "")).toEqual([LINE, OWL]);
  expect(offeredProfiles(ALL, USED, "path", "")).toEqual([BOTH]);
  expect(offeredProfiles(ALL, USED, "records", "")).toEqual([]);
});

it("offers what was used recently before there is a question, and what has the words", () => {
  expect(offeredProfiles(ALL, USED, null, "")).toEqual([LINE, BOTH]);
  expect(offeredProfiles(ALL, USED, null, "LOOK for")).toEqual([LOOK]);
  expect(offeredProfiles(ALL, USED, "matrix", "owl")).toEqual([]);
});

function Form({ targetIds = [] }: { targetIds?: number[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  return (
    <ProfileChoice
      newest={ALL}
      profile={ALL.find(({ id }) => id === chosen)}
      usedAt={USED}
      asked="sustained"
      draft={{ ...EMPTY, targetIds, texts: { length: "1 GB" } }}
      error={undefined}
      onChoose={setChosen}
    />
  );
}

it("shows what each profile takes on the selected targets, by itself", async () => {
  rendered(<Form targetIds={[7]} />);
  const owl = screen.getByRole("button", { name: /^Owl Sustained/ });
  await waitFor(() => expect(owl.textContent).toContain("written at most"));
  const plans = asked.mock.calls.map(([plan]) => plan);
  expect(plans.map(({ profile_id }) => profile_id).sort()).toEqual([2, 3]);
  for (const plan of plans) expect(plan).toMatchObject({ target_ids: [7], overrides: {} });
});

it("says which profile does not fit there", async () => {
  answer = { ...estimate, fits: false };
  rendered(<Form targetIds={[7]} />);
  expect(await screen.findAllByText("Not enough free space")).toHaveLength(2);
});

it("asks for no estimate while there is nowhere to measure", async () => {
  rendered(
    <>
      <Form />
      <Form targetIds={[7]} />
    </>,
  );
  // those of the second form have come: the first has asked for what it wants by then
  expect(await screen.findAllByText(/written at most/)).toHaveLength(2);
  expect(asked.mock.calls.every(([plan]) => plan.target_ids.length === 1)).toBe(true);
});

it("can be operated by keyboard: the list closes, and opens again, with the focus", async () => {
  rendered(<Form />);
  screen.getByRole("button", { name: /^Owl/ }).focus();
  await userEvent.keyboard("{Enter}");
  const change = screen.getByRole("button", { name: "Change profile" });
  expect(document.activeElement).toBe(change);
  expect(screen.getByText("What Owl is for")).toBeTruthy();
  await userEvent.keyboard("{Enter}");
  expect(document.activeElement).toBe(screen.getByRole("searchbox", { name: "Search profiles" }));
  expect(screen.getByRole("button", { name: /^Owl/ }).getAttribute("aria-pressed")).toBe("true");
});

it("opens the list without losing the profile: it can be kept", async () => {
  rendered(<Form />);
  await userEvent.click(screen.getByRole("button", { name: /^Owl/ }));
  await userEvent.click(screen.getByRole("button", { name: "Change profile" }));
  await userEvent.click(screen.getByRole("button", { name: "Keep Owl" }));
  expect(screen.getByText("What Owl is for")).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Change profile" }));
});
