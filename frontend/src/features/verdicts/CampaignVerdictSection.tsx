import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { campaignVerdictQuery } from "@/api/queries";
import type { Campaign } from "@/api/shapes";
import { Loading } from "@/components/feedback/Loading";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Section";
import { VerdictRows } from "./VerdictRows";

// Few readers ask for it.
const JudgeAgain = lazy(async () => ({ default: (await import("./JudgeAgain")).JudgeAgain }));

/** An ended campaign's verdict, and judging it by other criteria. */
export function CampaignVerdictSection({ campaign }: { campaign: Campaign }) {
  const [again, setAgain] = useState(false);
  const query = useQuery({
    ...campaignVerdictQuery(campaign.id),
    enabled: campaign.verdict !== null,
  });
  if (campaign.ended_at === null) return null;
  return (
    <Section
      title="Verdict"
      action={
        again ? null : (
          <Button variant="subtle" onClick={() => setAgain(true)}>
            Judge by other criteria
          </Button>
        )
      }
    >
      {campaign.verdict === null ? (
        <p>No criteria</p>
      ) : (
        <Resolved query={query} what="verdict" rows={2}>
          {(verdict) => <VerdictRows campaign={campaign} verdict={verdict} waivable />}
        </Resolved>
      )}
      {again ? (
        <Suspense fallback={<Loading what="criteria" rows={2} />}>
          <JudgeAgain campaign={campaign}>
            {(verdict) => <VerdictRows campaign={campaign} verdict={verdict} waivable={false} />}
          </JudgeAgain>
        </Suspense>
      ) : null}
    </Section>
  );
}
