import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, explained, unwrap } from "@/api/client";
import { campaignQuery, planQuery, profileQuery } from "@/api/queries";
import type { Campaign, Estimate, Plan, Profile } from "@/api/shapes";
import { useWrite } from "@/api/writes";
import { Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import layout from "@/components/form/Form.module.css";
import { count, formatBytes, formatGuess } from "@/components/quantities";
import { placesOf } from "@/features/campaigns/summary";
import { sourceWords, useEstimate } from "@/features/launch/EstimatePanel";
import classes from "@/features/launch/Launch.module.css";
import { editable, linkOf } from "@/features/launch/link";

interface LaunchAgainProps {
  campaignId: number;
  runId: number | undefined;
  /** Save it as a profile instead. */
  onSave: () => void;
}

/** What launching again writes and how long it takes, with the buttons to launch or to edit it. */
export function LaunchAgain({ campaignId, runId, onSave }: LaunchAgainProps) {
  const campaign = useQuery(campaignQuery(campaignId));
  const plan = useQuery(planQuery(campaignId, runId));
  const profile = useQuery({
    ...profileQuery(plan.data?.profile_id ?? 0),
    enabled: plan.data !== undefined,
  });
  return (
    <Resolved query={campaign} what="campaign" rows={6}>
      {(ofCampaign) => (
        <Resolved query={plan} what="campaign" rows={6}>
          {(request) => (
            <Resolved query={profile} what="profile" rows={6}>
              {(ofProfile) => (
                <Confirmation
                  campaign={ofCampaign}
                  plan={request}
                  profile={ofProfile}
                  runId={runId}
                  onSave={onSave}
                />
              )}
            </Resolved>
          )}
        </Resolved>
      )}
    </Resolved>
  );
}

interface ConfirmationProps {
  campaign: Campaign;
  plan: Plan;
  profile: Profile;
  runId: number | undefined;
  onSave: () => void;
}

function Confirmation({ campaign, plan, profile, runId, onSave }: ConfirmationProps) {
  const navigate = useNavigate();
  const [name, setName] = useState(plan.name ?? campaign.name);
  const { estimate, refusal, current } = useEstimate(plan);
  const launch = useWrite(
    "campaigns",
    (body: Plan) => unwrap(api.POST("/api/v1/campaigns", { body })),
    (launched) => navigate({ to: "/campaigns/$id", params: { id: launched.id } }),
  );
  const named = { ...plan, name: name.trim() || campaign.name };
  const runs = runId === undefined ? campaign.runs : campaign.runs.filter(({ id }) => id === runId);
  const draft = editable(named, campaign, profile);
  const isReady = current && estimate?.problems.length === 0 && estimate.fits === true;
  return (
    <div className={layout.form}>
      <TextInput
        label="Campaign name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <dl className={classes.facts}>
        <dt>Profile</dt>
        <dd>
          {profile.name}, version {profile.version}
        </dd>
        <dt>Where</dt>
        <dd>
          <code>{placesOf({ runs })}</code>
        </dd>
        {estimate && estimate.fits !== null ? <Figures estimate={estimate} /> : null}
      </dl>
      {(estimate?.problems ?? []).map(({ field, message, remedy }) => (
        <Notice key={`${field} ${message}`}>{explained(message, remedy)}</Notice>
      ))}
      {(estimate?.warnings ?? []).map(({ message }) => (
        <Notice key={message}>{message}</Notice>
      ))}
      {(launch.error ?? (current && refusal)) ? (
        <ProblemPanel error={launch.error ?? refusal} />
      ) : null}
      {draft ? null : (
        <p className={layout.hint}>
          The tests of this campaign were given with its launch and are not those of the profile.
          Save it as a profile to edit them.
        </p>
      )}
      <div className={layout.actions}>
        <Button disabled={!isReady} loading={launch.isPending} onClick={() => launch.mutate(named)}>
          Launch campaign
        </Button>
        {draft ? (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link to="/launch" search={linkOf(draft) as object} {...props} />
            )}
          >
            Edit before launch
          </Button>
        ) : null}
        <Button variant="subtle" onClick={onSave}>
          Save as profile
        </Button>
      </div>
    </div>
  );
}

function Figures({ estimate }: { estimate: Estimate }) {
  const { expected } = estimate;
  return (
    <>
      <dt>Trials</dt>
      <dd>
        {count(estimate.trials)} in {count(estimate.run_count)}{" "}
        {estimate.run_count === 1 ? "run" : "runs"}
      </dd>
      <dt>Written at most</dt>
      <dd>{formatBytes(estimate.bytes_written)}</dd>
      <dt>{expected ? "Expected duration" : "Minimum duration"}</dt>
      <dd>
        {expected ? `about ${formatGuess(expected.seconds)}` : formatGuess(estimate.shortest_s)}
        {expected ? <span className={classes.source}>{sourceWords(expected)}</span> : null}
      </dd>
      {estimate.hosts_busy.length > 0 ? (
        <>
          <dt>Will be queued</dt>
          <dd>
            {estimate.hosts_busy
              .map(({ name, run_id }) => `${name} is busy with run ${run_id}`)
              .join("; ")}
          </dd>
        </>
      ) : null}
    </>
  );
}
