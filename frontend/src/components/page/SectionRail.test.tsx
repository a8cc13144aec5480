import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { Section } from "./Page";
import { SectionRail } from "./SectionRail";

afterEach(() => vi.restoreAllMocks());

const titles = () => screen.getAllByRole("link").map(({ textContent }) => textContent);

function Page() {
  const [more, setMore] = useState(false);
  return (
    <SectionRail>
      {["Verdict", "Matrix", "Conditions"].map((title) => (
        <Section key={title} title={title}>
          {title}
        </Section>
      ))}
      {more ? <Section title="Downloads">Files</Section> : null}
      <button type="button" onClick={() => setMore(true)}>
        More
      </button>
    </SectionRail>
  );
}

it("lists the sections that the page has, also those that come later", async () => {
  rendered(<Page />);
  expect(await screen.findByRole("navigation", { name: "Sections" })).toBeTruthy();
  expect(titles()).toEqual(["Verdict", "Matrix", "Conditions"]);
  await userEvent.click(screen.getByRole("button", { name: "More" }));
  await screen.findByRole("link", { name: "Downloads" });
  expect(titles()).toEqual(["Verdict", "Matrix", "Conditions", "Downloads"]);
});

it("scrolls to a section and gives its heading the focus", async () => {
  const scrolled = vi.fn();
  vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function scroll(this: Element) {
    scrolled(this.getAttribute("aria-labelledby"));
  });
  rendered(<Page />);
  await userEvent.click(await screen.findByRole("link", { name: "Matrix" }));
  const heading = screen.getByRole("heading", { name: "Matrix" });
  expect(scrolled).toHaveBeenCalledWith(heading.id);
  expect(document.activeElement).toBe(heading);
  fireEvent.scroll(window);
  expect(screen.getByRole("link", { current: "location" }).textContent).toBe("Matrix");
});

it("marks the last section that has been reached", async () => {
  const top = { Verdict: -400, Matrix: 20, Conditions: 700 };
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function at(
    this: Element,
  ) {
    return { top: top[this.textContent as keyof typeof top] ?? 0 } as DOMRect;
  });
  rendered(<Page />);
  const here = await screen.findByRole("link", { current: "location" });
  expect(here.textContent).toBe("Matrix");
});

it("has no rail for a page of two sections", () => {
  rendered(
    <SectionRail>
      <Section title="Verdict">Pass</Section>
      <Section title="Notes">None</Section>
    </SectionRail>,
  );
  expect(screen.queryByRole("navigation")).toBeNull();
});
