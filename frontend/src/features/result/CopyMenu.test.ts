import { expect, it } from "vitest";
import { linkTo, sizeOf } from "./CopyMenu";

it("links to the page as it is shown, in its unit", () => {
  const address = "http://assay/runs/7?cell=65536x2&repeat=3";
  expect(linkTo(address, "MiB/s")).toBe(`${address}&unit=MiB%2Fs`);
  expect(linkTo("http://assay/runs/7?unit=Gb%2Fs", "MB/s")).toBe("http://assay/runs/7?unit=Gb%2Fs");
});

it("reads the size of a picture, and reports one without", () => {
  expect(sizeOf('<svg xmlns="x" viewBox="0 0 412.5 96"><g/></svg>')).toEqual({
    width: 412.5,
    height: 96,
  });
  expect(() => sizeOf("<p>")).toThrow("no size");
});
