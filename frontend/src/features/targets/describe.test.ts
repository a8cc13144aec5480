import { describe, expect, it } from "vitest";
import { addressOf, cardSpeed, machineOf } from "./describe";

const ssh = { connection: "ssh", address: "10.0.0.7", port: 22, user: "ada" } as const;

describe("a host's address", () => {
  it("shows the port only if it is not SSH's default", () => {
    expect(addressOf(ssh)).toBe("ada@10.0.0.7");
    expect(addressOf({ ...ssh, port: 2222, user: null })).toBe("10.0.0.7:2222");
    expect(addressOf({ ...ssh, address: "fe80::1", port: 2222 })).toBe("ada@[fe80::1]:2222");
  });
  it("is this machine when it is local", () => {
    expect(addressOf({ ...ssh, connection: "local" })).toBe("this machine");
  });
});

describe("what a host is", () => {
  it("omits unknown values", () => {
    const summary = {
      os: "Debian 13",
      kernel: null,
      cpus: 1,
      cpu_model: null,
      mem_total_bytes: null,
      nic_bits_per_s: 25_000_000_000,
    };
    expect(machineOf({ summary })).toBe("Debian 13 · 1 CPU · 25\u00a0Gb/s");
    expect(machineOf({ summary: null })).toBe("Not inspected");
  });
  it("shows slow interfaces in megabits", () => {
    expect(cardSpeed(100e6)).toBe("100\u00a0Mb/s");
  });
});
