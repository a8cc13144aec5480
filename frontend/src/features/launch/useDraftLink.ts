import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { type LinkTexts, linkOf, type Remarks, readLink } from "./link";
import type { Draft } from "./plan";

const route = getRouteApi("/launch");

/** How long input must pause before the page's address follows. */
const PAUSE_MS = 300;

/** The fields of the form whose change answers a remark on the link. */
const ANSWERS: Record<string, readonly (keyof Draft)[]> = {
  profile_id: ["profileId"],
  tests: ["tests", "profileId"],
  target_ids: ["targetIds"],
  execution: ["execution"],
  read_back_target_id: ["readBackTargetId"],
  sources: ["sources"],
  sinks: ["sinks"],
  arrangement: ["arrangement"],
  criteria: ["criteria"],
};

/**
 * The form, filled from the page's address, which then follows it: what is copied from the address
 * bar always opens this form. `remarks` say what is impossible in the link, until it is changed;
 * `opened` is what the first link selected.
 */
export function useDraftLink(onChange: () => void) {
  const link = route.useSearch() as LinkTexts;
  const navigate = useNavigate();
  const [opened] = useState(() => readLink(link));
  const [remarks, setRemarks] = useState<Remarks>(opened.remarks);
  const form = useForm<Draft>({
    initialValues: opened.draft,
    onValuesChange: (now, before) => {
      setRemarks((old) => unanswered(old, before, now));
      onChange();
    },
  });

  const { setValues } = form;
  const current = JSON.stringify(linkOf(form.values));
  const [settled] = useDebouncedValue(current, PAUSE_MS);
  const written = useRef(current);
  // the shown link, and those that navigation has yet to reach: it may lag behind the input
  const ownLinks = useRef([JSON.stringify(link)]);
  useEffect(() => {
    if (settled === written.current) return;
    written.current = settled;
    ownLinks.current.push(settled);
    void navigate({
      to: "/launch",
      search: JSON.parse(settled) as object,
      replace: true,
      resetScroll: false,
    });
  }, [settled, navigate]);
  useEffect(() => {
    const shown = JSON.stringify(link);
    const reached = ownLinks.current.indexOf(shown);
    ownLinks.current = reached < 0 ? [shown] : ownLinks.current.slice(reached);
    if (reached >= 0) return;
    // a link to another form was followed on this page
    const next = readLink(link);
    written.current = JSON.stringify(linkOf(next.draft));
    setValues(next.draft);
    setRemarks(next.remarks);
  }, [link, setValues]);
  return { form, remarks, opened: opened.draft };
}

/** The form copies its values at each change. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The remarks on fields that have not been changed. */
function unanswered(remarks: Remarks, before: Draft, now: Draft): Remarks {
  const left = Object.entries(remarks).filter(([field]) =>
    (ANSWERS[field] ?? []).every((name) => isSame(before[name], now[name])),
  );
  return left.length === Object.keys(remarks).length ? remarks : Object.fromEntries(left);
}
