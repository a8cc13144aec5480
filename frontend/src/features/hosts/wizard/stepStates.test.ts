import { describe, expect, it } from "vitest";
import type { Host } from "@/api/shapes";
import { stepStates } from "./stepStates";

const key = { type: "ssh-ed25519", fingerprint: "SHA256:abc" };
const reached = {
  connection: "ssh",
  state: "error",
  host_key: key,
  last_seen_at: null,
} as Host;

describe("the wizard's steps", () => {
  it("begin with reaching the host", () => {
    expect(stepStates(undefined)[0]).toBe("open");
    expect(stepStates({ ...reached, state: "key_unapproved", host_key: null })[0]).toBe("open");
  });
  it("open the login once the key is approved", () => {
    expect(stepStates(reached)).toEqual(["held", "open", "closed", "closed"]);
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
