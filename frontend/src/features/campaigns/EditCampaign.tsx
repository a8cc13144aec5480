import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense } from "react";
import type { Campaign } from "@/api/shapes";
import { Loading } from "@/components/feedback/Loading";

type Props = { campaign: Campaign; onSaved: () => unknown };

const CampaignForm = lazyRouteComponent(() => import("./CampaignForm"), "CampaignForm");

/** A button that edits a campaign's name, labels and reference in a dialog. */
export function EditCampaign({ campaign, onSaved }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Edit campaign
      </Button>
      <Modal opened={opened} onClose={close} title="Edit campaign">
        <Suspense fallback={<Loading what="form" rows={6} />}>
          <CampaignForm
            campaign={campaign}
            onSaved={() => {
              close();
              return onSaved();
            }}
          />
        </Suspense>
      </Modal>
    </>
  );
}
