import { expect, it } from "vitest";
import { hitsOf, pagesFor } from "./Search";

const pages = (text: string) => pagesFor(text).flatMap(({ hits }) => hits.map(({ name }) => name));

it("offers the navigation while the search is empty", () => {
  expect(pages("")[0]).toBe("Overview");
  expect(pages("")).not.toContain("Audit log");
});

it("finds pages that have every word", () => {
  expect(pages("audit")).toEqual(["Audit log"]);
  expect(pages("launch camp")).toEqual(["Launch campaign"]);
  expect(pages("audit host")).toEqual([]);
});

it("tells objects of the same name apart by their ids, and links to them", () => {
  const hits = [
    { id: 9, name: "Nightly", detail: "First look" },
    { id: 8, name: "Nightly", detail: "" },
  ];
  const [group] = hitsOf([{ type: "campaign", hits, more: false }]);
  expect(group?.title).toBe("Campaigns");
  expect(group?.hits.map(({ detail }) => detail)).toEqual(["#9 · First look", "#8"]);
  expect(group?.hits[0]?.link).toEqual({ to: "/campaigns/$id", params: { id: 9 } });
});

it("leads from a target to the runs that measured there", () => {
  const hits = [{ id: 2, name: "scratch", detail: "web-1:/mnt/a" }];
  const [group] = hitsOf([{ type: "target", hits, more: false }]);
  expect(group?.hits[0]?.link).toEqual({ to: "/runs", search: { target_id: "2" } });
});
