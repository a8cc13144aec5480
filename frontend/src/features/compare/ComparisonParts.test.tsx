import { act, renderHook, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { ParticipantSwitches, useParticipantChoice } from "./ComparisonParts";

const ALONE = {
  result: { participants: [{ id: 1, host: "alpha", path: "/mnt/a", role: "writer" }] },
};
const JOINT = {
  result: {
    participants: [
      { id: 7, host: "alpha", path: "/mnt/a", role: "writer" },
      { id: 8, host: "beta", path: "/mnt/b", role: "writer" },
    ],
  },
};

it("draws the first participant of a joint run until another is chosen", () => {
  const { result } = renderHook(() => useParticipantChoice([ALONE, JOINT]));
  expect(result.current.participants).toEqual([undefined, 7]);
  act(() => result.current.choose(1, 8));
  expect(result.current.participants).toEqual([undefined, 8]);
});

it("offers the choice only for runs with several participants", () => {
  const { unmount } = rendered(
    <ParticipantSwitches runs={[ALONE]} participants={[undefined]} onChoose={() => undefined} />,
  );
  expect(screen.queryByRole("combobox")).toBeNull();
  unmount();
  rendered(
    <ParticipantSwitches
      runs={[ALONE, JOINT]}
      participants={[undefined, 8]}
      onChoose={() => undefined}
    />,
  );
  const choice = screen.getByRole<HTMLInputElement>("combobox", { name: "Participant of B" });
  expect(choice.value).toBe("beta /mnt/b");
});
