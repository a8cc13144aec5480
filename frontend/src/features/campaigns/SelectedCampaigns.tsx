import type { Campaign } from "@/api/shapes";
import { hasEnded } from "@/components/state/states";
import { CancelSelected } from "./CancelSelected";
import { DeleteSelected } from "./DeleteSelected";
import { LabelSelected } from "./LabelSelected";

interface SelectedCampaignsProps {
  campaigns: Campaign[];
  onDone: () => void;
}

/** What can be done with several campaigns: cancel those that run, delete the others, label all. */
export function SelectedCampaigns({ campaigns, onDone }: SelectedCampaignsProps) {
  const active = campaigns.filter(isCancelable).map(({ id }) => id);
  const ended = campaigns.filter(({ state }) => hasEnded(state)).map(({ id }) => id);
  return (
    <>
      {active.length > 0 ? <CancelSelected ids={active} onDone={onDone} /> : null}
      <LabelSelected ids={campaigns.map(({ id }) => id)} onDone={onDone} />
      {ended.length > 0 ? <DeleteSelected ids={ended} onDone={onDone} /> : null}
    </>
  );
}

/** Whether a campaign can still be canceled. */
function isCancelable({ state, cancel_requested }: Campaign): boolean {
  return !hasEnded(state) && !cancel_requested;
}
