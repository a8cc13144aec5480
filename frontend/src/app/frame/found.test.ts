import { expect, it } from "vitest";
import type { Campaign, Host, StorageArray } from "@/api/shapes";
import { found } from "./found";

const things = {
  hosts: [
    { id: 1, name: "web-1", address: "10.0.0.7", targets: [{ path: "/mnt/vault" }] },
    { id: 2, name: "vault-gateway", address: "10.0.0.8", targets: [] },
  ] as unknown as Host[],
  arrays: [{ id: 5, name: "vault", vendor: "Acme", model: "S24" }] as StorageArray[],
  campaigns: [{ id: 9, name: "Nightly", profile: { name: "First look" } }] as Campaign[],
};

const names = (text: string) => found(text, things).map(({ name }) => name);

it("finds hosts, arrays, campaigns and pages by any of their words", () => {
  expect(names("acme")).toEqual(["vault"]);
  expect(names("10.0.0.7")).toEqual(["web-1"]);
  expect(names("first look")).toEqual(["Nightly"]);
  expect(names("audit")).toEqual(["Audit log"]);
});

it("puts names that begin with the word before other matches", () => {
  expect(names("vault")).toEqual(["vault-gateway", "vault", "web-1"]);
});

it("requires every word to match", () => {
  expect(names("vault host")).toEqual(["vault-gateway", "web-1"]);
  expect(names("vault nothing")).toEqual([]);
});

it("offers the pages while the search is empty", () => {
  expect(names("")[0]).toBe("Overview");
});
