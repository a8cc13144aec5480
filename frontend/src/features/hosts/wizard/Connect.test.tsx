import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import type { Host } from "@/api/shapes";
import { useDraft } from "./Connect";

const host = {
  id: 7,
  connection: "ssh",
  name: "web-1",
  address: "10.0.0.7",
  port: 22,
  user: "ada",
  credential_id: 1,
} as Host;

beforeEach(() => sessionStorage.clear());

const draftOf = (shown?: Host) => renderHook(() => useDraft(shown));

it("keeps the draft of a host over a reload", () => {
  const first = draftOf(host);
  act(() => first.result.current.set({ address: "10.0.0.8" }));
  first.unmount();
  expect(draftOf(host).result.current.draft).toMatchObject({ name: "web-1", address: "10.0.0.8" });
});

it("does not restore a draft from before a change of the host", () => {
  const before = draftOf(host);
  act(() => before.result.current.set({ user: "grace" }));
  before.unmount();
  const changed = { ...host, credential_id: 2 };
  expect(draftOf(changed).result.current.draft).toMatchObject({ user: "ada", credential_id: 2 });
});

it("does not mix up hosts", () => {
  const { result } = draftOf(host);
  act(() => result.current.set({ user: "grace" }));
  expect(draftOf({ ...host, id: 8 }).result.current.draft.user).toBe("ada");
  expect(draftOf().result.current.draft.user).toBe("");
});

it("discards the draft once it is saved", () => {
  const { result } = draftOf();
  act(() => result.current.set({ name: "web-2" }));
  act(() => result.current.forget());
  expect(result.current.draft.name).toBe("");
  expect(draftOf().result.current.draft.name).toBe("");
});
