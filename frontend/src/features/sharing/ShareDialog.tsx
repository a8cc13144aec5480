import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import type { components } from "@/api/schema";
import { useCan, useWrite } from "@/api/writes";
import { CopyText } from "@/components/CopyText";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { counted, RelativeTime } from "@/components/quantities";
import classes from "./ShareDialog.module.css";

/** The report of a campaign as a file, and the links that show it without a login. */
export function ShareDialog({ id }: { id: number }) {
  const mayShare = useCan("operator");
  return (
    <div className={classes.dialog}>
      <ReportFile id={id} />
      <section>
        <h3>Share link</h3>
        <p className={layout.hint}>
          Anyone with the link sees the current report without a login, until it expires.
        </p>
        {mayShare ? <NewLink id={id} /> : null}
      </section>
      <Links id={id} mayRevoke={mayShare} />
    </div>
  );
}

function ReportFile({ id }: { id: number }) {
  const [hides, setHides] = useState(false);
  return (
    <section className={layout.form}>
      <h3>Report file</h3>
      <p className={layout.hint}>
        One HTML file with verdict, results, setups and versions. It opens offline and prints on A4.
      </p>
      <Checkbox
        label="Hide host names, paths, addresses and serial numbers"
        checked={hides}
        onChange={(event) => setHides(event.currentTarget.checked)}
      />
      <div className={layout.actions}>
        <Button
          component="a"
          variant="default"
          href={reportAddress(id, hides)}
          download={`campaign-${id}-report.html`}
        >
          Download report
        </Button>
      </div>
    </section>
  );
}

const LIFETIMES = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "14", label: "14 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
];

function NewLink({ id }: { id: number }) {
  const [made, setMade] = useState<NewShare | null>(null);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { name: "", expires_in_days: "14", show_identifiers: false },
    changed: "shares",
    send: ({ name, expires_in_days, show_identifiers }) =>
      unwrap(
        api.POST("/api/v1/campaigns/{campaign_id}/shares", {
          params: { path: { campaign_id: id } },
          body: {
            name: name.trim() || null,
            expires_in_days: Number(expires_in_days),
            show_identifiers,
          },
        }),
      ),
    onSaved: (saved) => {
      setMade(saved);
      form.reset();
    },
  });
  return (
    <>
      <form className={layout.form} onSubmit={onSubmit}>
        <div className={layout.row}>
          <TextInput
            label="Name"
            description="For whom or what it is; optional"
            {...form.getInputProps("name")}
          />
          <Select
            label="Expires after"
            description="At most 90 days"
            data={LIFETIMES}
            allowDeselect={false}
            {...form.getInputProps("expires_in_days")}
          />
        </div>
        <Checkbox
          label="Show host names, paths, addresses, serial numbers and who launched it"
          description="Otherwise they are replaced, also in notes, labels and errors."
          {...form.getInputProps("show_identifiers", { type: "checkbox" })}
        />
        {problem ? <ProblemPanel error={problem} /> : null}
        <div className={layout.actions}>
          <Button type="submit" loading={isPending}>
            Create link
          </Button>
        </div>
      </form>
      {made ? (
        <div className={classes.made}>
          <p>Copy the link now: it is shown only once.</p>
          <CopyText text={linkOf(made)} label="link" />
        </div>
      ) : null}
    </>
  );
}

function Links({ id, mayRevoke }: { id: number; mayRevoke: boolean }) {
  const query = useQuery(sharesQuery(id));
  return (
    <Resolved query={query} what="share links" rows={2}>
      {(shares) =>
        shares.length > 0 ? (
          <section>
            <h3>Links of this campaign</h3>
            <ul className={classes.links} aria-label="Share links">
              {shares.map((share) => (
                <li key={share.id}>
                  <Link share={share} />
                  {mayRevoke && share.state === "active" ? <Revoke share={share} /> : null}
                </li>
              ))}
            </ul>
          </section>
        ) : null
      }
    </Resolved>
  );
}

function Link({ share }: { share: Share }) {
  const { name, id, state, show_identifiers, expires_at, accesses, last_access_at } = share;
  return (
    <div>
      <p className={classes.name}>
        {name ?? `Link ${id}`} ({state})
      </p>
      <p className={layout.hint}>
        Names {show_identifiers ? "shown" : "hidden"}, {state === "expired" ? "expired" : "expires"}{" "}
        <RelativeTime at={expires_at} />.{" "}
        {accesses === 0 ? (
          "Never opened"
        ) : (
          <>
            Opened {counted(accesses, "time")}, last <RelativeTime at={last_access_at} />
          </>
        )}
      </p>
    </div>
  );
}

function Revoke({ share: { campaign_id, id, name } }: { share: Share }) {
  const revoke = useWrite("shares", () =>
    unwrap(
      api.DELETE("/api/v1/campaigns/{campaign_id}/shares/{share_id}", {
        params: { path: { campaign_id, share_id: id } },
      }),
    ),
  );
  return (
    <>
      {revoke.error ? <ProblemPanel error={revoke.error} /> : null}
      <Button
        variant="danger"
        size="xs"
        loading={revoke.isPending}
        aria-label={`Revoke ${name ?? `link ${id}`}`}
        onClick={() => revoke.mutate()}
      >
        Revoke
      </Button>
    </>
  );
}

export type Share = components["schemas"]["ShareLinkOut"];
type NewShare = components["schemas"]["NewShareLink"];

/** The newest links; with those that expired or were revoked. */
const sharesQuery = (campaignId: number) =>
  queryOptions({
    queryKey: ["shares", campaignId],
    queryFn: async () => {
      const page = await unwrap(
        api.GET("/api/v1/campaigns/{campaign_id}/shares", {
          params: { path: { campaign_id: campaignId }, query: { limit: 200 } },
        }),
      );
      return page.items as Share[];
    },
  });

/** The address that others open. */
const linkOf = ({ path }: Pick<NewShare, "path">): string => new URL(path, location.origin).href;

const reportAddress = (campaignId: number, hidesIdentifiers: boolean): string =>
  `/api/v1/campaigns/${campaignId}/report.html${hidesIdentifiers ? "?hide_identifiers=true" : ""}`;
