import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { groupsOf, KINDS } from "@/features/kinds/registry";
import { FORMATS } from "./formats";
import { ParameterField, ParameterFields } from "./ParameterFields";
import { parametersIn, readTexts, type Texts } from "./parameters";

const PRIORITIES = [
  { value: "normal", label: "Normal" },
  { value: "rr", label: "Round robin" },
];

const GROUPS = groupsOf(KINDS);

const ofProfile = ({ name }: { name: string }) => `the profile's ${name}`;

interface FormProps {
  inherited?: typeof ofProfile;
  given?: Texts;
  first?: ReadonlySet<string>;
}

function Form({ inherited = ofProfile, given = {}, first }: FormProps) {
  const [texts, setTexts] = useState<Texts>(given);
  return (
    <ParameterFields
      groups={GROUPS}
      texts={texts}
      errors={readTexts(parametersIn(GROUPS), texts).errors}
      onChange={(changed) => setTexts({ ...texts, ...changed })}
      inherited={inherited}
      first={first}
    />
  );
}

const more = () => screen.getByText(/ more parameters/).closest("details");

it("shows some fields first and the others, with what is changed, behind one line", async () => {
  rendered(<Form first={new Set(["threads", "block"])} given={{ order: "given" }} />);
  const count = parametersIn(GROUPS).length - 2;
  expect(more()?.textContent).toContain(`${count} more parameters, 1 changed`);
  expect(more()?.contains(screen.getByRole("textbox", { name: "Threads" }))).toBe(false);
  expect(more()?.querySelector("fieldset legend")).toBeTruthy();
  expect(more()?.open).toBe(false);
});

it("an error behind the line opens it, and its correction leaves it open", async () => {
  rendered(<Form first={new Set(["block"])} given={{ threads: "x" }} />);
  expect(more()?.open).toBe(true);
  // jsdom does not announce that it opened
  if (more()) fireEvent(more() as Element, new Event("toggle"));
  await userEvent.clear(screen.getByRole("textbox", { name: "Threads" }));
  expect(screen.queryByRole("alert")).toBeNull();
  expect(more()?.open).toBe(true);
});

it("marks what differs from the profile, keeps the focus, and resets it", async () => {
  rendered(<Form />);
  const threads = screen.getByRole("textbox", { name: "Threads" });
  await userEvent.type(threads, "24");
  expect(threads).toHaveProperty("value", "24");
  expect(document.activeElement).toBe(threads);
  expect(screen.getByText("Changed; profile: the profile's threads")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Reset Threads" }));
  expect(threads).toHaveProperty("value", "");
  expect(document.activeElement).toBe(threads);
  expect(screen.queryByText(/^Changed/)).toBeNull();
});

it("does not call the profile's own value changed", async () => {
  rendered(<Form inherited={() => "3"} />);
  await userEvent.type(screen.getByRole("textbox", { name: "Threads" }), "3");
  expect(screen.queryByText(/^Changed/)).toBeNull();
});

it("shows the profile's values without input", () => {
  rendered(<Form />);
  expect(screen.getByPlaceholderText("the profile's threads")).toBeTruthy();
  expect(screen.getByRole("combobox", { name: "Cache" })).toHaveProperty(
    "value",
    "From profile: the profile's cache",
  );
});

it("shows no values before a profile is selected", () => {
  rendered(<Form inherited={() => ""} />);
  expect(screen.getByRole("combobox", { name: "Cache" })).toHaveProperty("value", "From profile");
});

it("marks an invalid value during input", async () => {
  rendered(<Form />);
  const threads = screen.getByRole("textbox", { name: "Threads" });
  await userEvent.type(threads, "2, x");
  expect(threads.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText("x is not a whole number from 1 to 256.")).toBeTruthy();
  await userEvent.clear(threads);
  await userEvent.type(threads, "2");
  expect(threads.getAttribute("aria-invalid")).not.toBe("true");
});

it("shows the parsed size during input; plain numbers are bytes", async () => {
  rendered(<Form />);
  const blocks = screen.getByRole("textbox", { name: "Block sizes" });
  await userEvent.type(blocks, "1024");
  expect(screen.getByText("= 1024 B")).toBeTruthy();
  await userEvent.type(blocks, " KB");
  expect(screen.getByText("= 1 024 000 B")).toBeTruthy();
  const size = screen.getByRole("textbox", { name: "File size" });
  await userEvent.type(size, "2000");
  expect(screen.getByText("= 2000 B")).toBeTruthy();
});

it("takes several choices in the order in which they are selected", async () => {
  const priority = { name: "priority", label: "CPU priority", choices: PRIORITIES };
  const format = FORMATS.choices?.({ ...priority, format: "choices" });
  const several = { ...priority, ...format, several: true };
  const changed: Texts[] = [];
  rendered(
    <ParameterField
      parameter={several as never}
      texts={{ priority: "rr" }}
      errors={{}}
      onChange={(one) => changed.push(one)}
      inherited={() => "Normal"}
    />,
  );
  expect(screen.getByRole("checkbox", { name: "Round robin" })).toHaveProperty("checked", true);
  await userEvent.click(screen.getByRole("checkbox", { name: "Normal" }));
  expect(changed).toEqual([{ priority: "rr, normal" }]);
  expect(several.parse?.("rr, normal")).toEqual({ value: ["rr", "normal"] });
  expect(several.parse?.("rr")).toEqual({ value: "rr" });
  expect(several.parse?.("rr, urgent")).toEqual({ error: "Select values from the list." });
});

it("shows groups of several kinds with the same title as one", () => {
  const titles = GROUPS.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  const names = parametersIn(GROUPS).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
