import { expect, it } from "vitest";
import { parseZoom, zoomText } from "./useLinkedZoom";

it("keeps a zoomed range in the address", () => {
  expect(zoomText([12.5, 14])).toBe("12.5-14");
  expect(parseZoom("12.5-14")).toEqual([12.5, 14]);
  expect(parseZoom(zoomText([1 / 3, 2 / 3]))).toEqual([0.333333, 0.666667]);
  expect(zoomText([-0.2, 3])).toBe("0-3");
  expect(zoomText(null)).toBeUndefined();
});

it.each(["", "3-2", "2-2", "a-b", "1-", "-1-2", "1e9-2e9", "1-2-3", "NaN-1", "9".repeat(40)])(
  "shows the whole range for %j",
  (text) => {
    expect(parseZoom(text)).toBeNull();
  },
);
