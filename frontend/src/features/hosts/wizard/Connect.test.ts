import { describe, expect, it } from "vitest";
import { asRegistration, type Draft } from "./Connect";

const draft: Draft = {
  connection: "ssh",
  name: "web-1",
  address: "10.0.0.7",
  port: 22,
  user: "ada",
  credential_id: 1,
  jump_host_id: null,
  known_hosts: "",
  targets: "",
};

describe("a registration", () => {
  it("starts no check without a known key", () => {
    expect(asRegistration({ ...draft, targets: "/mnt/a" })).toEqual({
      keys: {},
      targets: [],
      wait: 0,
    });
  });

  it.each(["SHA256:abc", "256 SHA256:abc root@web-1 (ED25519)"])("knows a fingerprint: %s", (key) =>
    expect(asRegistration({ ...draft, known_hosts: ` ${key}\n` }).keys).toEqual({
      fingerprint: key,
    }),
  );

  it("passes other text as known_hosts", () => {
    const line = "[10.0.0.7]:2222 ssh-ed25519 AAAA";
    expect(asRegistration({ ...draft, known_hosts: line }).keys).toEqual({ known_hosts: line });
  });

  it("has a target for each line", () => {
    const { targets, wait } = asRegistration({
      ...draft,
      known_hosts: "SHA256:abc",
      targets: "/mnt/a\n\n/mnt/with space \n",
    });
    expect(targets.map(({ path }) => path)).toEqual(["/mnt/a", "/mnt/with space "]);
    expect(wait).toBeGreaterThan(0);
  });
});
