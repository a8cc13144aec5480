import { Modal } from "@mantine/core";
import { lazyRouteComponent, useNavigate } from "@tanstack/react-router";
import { Suspense } from "react";
import type { Plan } from "@/api/shapes";
import { Loading } from "@/components/feedback/Resolved";

// the launch form does without it until it is wanted
const ScheduleForm = lazyRouteComponent(() => import("./ScheduleForm"), "ScheduleForm");

interface ScheduleDialogProps {
  /** What the launch form would launch; null while it is incomplete. */
  plan: Plan | null;
  /** The name that the campaign would have. */
  name: string;
  opened: boolean;
  onClose: () => void;
}

/** Creates a schedule of what the launch form would launch now. */
export function ScheduleDialog({ plan, name, opened, onClose }: ScheduleDialogProps) {
  const navigate = useNavigate();
  return (
    <Modal opened={opened && plan !== null} onClose={onClose} title="Schedule campaign" size="lg">
      <Suspense fallback={<Loading what="form" rows={8} />}>
        {plan ? (
          <ScheduleForm
            of={{ plan, name }}
            onSaved={({ id }) => navigate({ to: "/schedules/$id", params: { id } })}
          />
        ) : null}
      </Suspense>
    </Modal>
  );
}
