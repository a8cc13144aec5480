import { Button, Modal } from "@mantine/core";
import { lazyRouteComponent, useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import type { Plan } from "@/api/shapes";
import { Loading } from "@/components/feedback/Loading";

// the launch form does without it until it is wanted
const ScheduleForm = lazyRouteComponent(() => import("./ScheduleForm"), "ScheduleForm");

interface ScheduleLaunchProps {
  /** What the launch form would launch; null while it is incomplete. */
  plan: Plan | null;
  disabled: boolean;
  /** The name that the campaign would have. */
  name: string;
}

/** Creates a schedule of what the launch form would launch now. */
export function ScheduleLaunch({ plan, disabled, name }: ScheduleLaunchProps) {
  const navigate = useNavigate();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" size="md" disabled={disabled} onClick={() => setOpened(true)}>
        Schedule…
      </Button>
      <Modal
        opened={opened && plan !== null}
        onClose={() => setOpened(false)}
        title="Schedule campaign"
        size="lg"
      >
        <Suspense fallback={<Loading what="form" rows={8} />}>
          {plan ? (
            <ScheduleForm
              of={{ plan, name }}
              onSaved={({ id }) => navigate({ to: "/schedules/$id", params: { id } })}
            />
          ) : null}
        </Suspense>
      </Modal>
    </>
  );
}
