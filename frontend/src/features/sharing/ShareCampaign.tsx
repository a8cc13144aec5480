import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense } from "react";
import { Loading } from "@/components/feedback/Resolved";

const ShareDialog = lazyRouteComponent(() => import("./ShareDialog"), "ShareDialog");

/** A button that opens a campaign's report and its share links. */
export function ShareCampaign({ id }: { id: number }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Share
      </Button>
      <Modal opened={opened} onClose={close} title="Report and share links" size="lg">
        <Suspense fallback={<Loading what="share links" rows={8} />}>
          <ShareDialog id={id} />
        </Suspense>
      </Modal>
    </>
  );
}
