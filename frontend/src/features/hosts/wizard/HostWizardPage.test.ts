import { describe, expect, it } from "vitest";
import type { Host } from "@/api/shapes";
import { stepStates } from "./HostWizardPage";

const key = { type: "ssh-ed25519", fingerprint: "SHA256:abc" };
const reached = {
  connection: "ssh",
  state: "error",
  host_key: key,
  last_seen_at: null,
} as Host;

describe("the wizard's steps", () => {
  it("begin with connecting to the host", () => {
    expect(stepStates(undefined)[0]).toBe("open");
    expect(stepStates({ ...reached, state: "key_unapproved", host_key: null })[0]).toBe("open");
  });
  it("open the login once the key is approved", () => {
    expect(stepStates(reached)).toEqual(["held", "open", "closed", "closed"]);
  });
  const seen = { ...reached, last_seen_at: "2026-11-21T01:00:00Z" };
  const checked = (step: string, state: "failed" | "running" | "ok") =>
    ({ ...seen, check: { id: 1, state, step, error: null } }) as Host;
  it("do not show a failed login as complete, even if an earlier one succeeded", () => {
    expect(stepStates(checked("login", "failed"))).toEqual(["held", "open", "closed", "closed"]);
    expect(stepStates(checked("login", "running"))[1]).toBe("open");
  });
  it("keep the login complete if only the inspection failed", () => {
    expect(stepStates(checked("inspect", "failed"))).toEqual(["held", "held", "open", "closed"]);
    expect(stepStates(checked("inspect", "ok"))[2]).toBe("open");
  });
  it("go back to the first when the host can no longer be reached", () => {
    const gone = { ...checked("resolve", "failed"), state: "unreachable" } as Host;
    expect(stepStates(gone)).toEqual(["open", "closed", "closed", "closed"]);
  });
  it("go back to the first when the key changed", () => {
    expect(stepStates({ ...reached, state: "key_changed" })[0]).toBe("open");
  });
  it("ask for a target when the host is ready", () => {
    expect(stepStates({ ...reached, state: "ready" })).toEqual(["held", "held", "held", "open"]);
  });
  it("need no key and no login on this machine", () => {
    const local: Host = { ...reached, connection: "local", host_key: null };
    expect(stepStates(local)).toEqual(["held", "held", "open", "closed"]);
  });
});
