import { expect, test } from "vitest";
import { chosenScopes, scopesOf, scopeWords } from "./NewToken";

test("a role includes its scopes and those of lower roles", () => {
  expect(scopesOf("viewer")).toEqual(["read"]);
  expect(scopesOf("operator")).toEqual(["read", "launch", "hosts", "edit"]);
  expect(scopesOf("admin")).toEqual(["read", "launch", "hosts", "edit", "admin"]);
});

test("all scopes of the role are sent as none, so that later ones are included", () => {
  expect(chosenScopes("viewer", ["read"])).toBeNull();
  expect(chosenScopes("operator", ["edit", "hosts", "read", "launch"])).toBeNull();
  expect(chosenScopes("operator", ["read", "launch"])).toEqual(["read", "launch"]);
});

test("scopes are named in the order of the API", () => {
  expect(scopeWords(["launch", "read"])).toBe("Read, launch");
  expect(scopeWords(["hosts"])).toBe("Manage hosts");
});
