import { fireEvent, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Disclosure } from "./Disclosure";
import { rendered } from "./rendered";

const details = () => screen.getByRole<HTMLDetailsElement>("group");

it("is folded, unfolds for printing and folds again", () => {
  rendered(<Disclosure summary="3 more">The rest.</Disclosure>);
  expect(details().open).toBe(false);
  fireEvent(window, new Event("beforeprint"));
  expect(details().open).toBe(true);
  fireEvent(window, new Event("afterprint"));
  expect(details().open).toBe(false);
});

it("stays unfolded after printing if it was before", () => {
  rendered(<Disclosure summary="3 more">The rest.</Disclosure>);
  details().open = true;
  fireEvent(window, new Event("beforeprint"));
  fireEvent(window, new Event("afterprint"));
  expect(details().open).toBe(true);
});
