import { Button } from "@mantine/core";
import { isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { CheckProgress } from "../CheckProgress";
import { useHostCheck } from "../useHostCheck";

/** The inventory is taken by itself after the login; here is why it was not. */
export function LookAround({ host }: { host: Host }) {
  const check = useHostCheck();
  return (
    <>
      <CheckProgress host={host} />
      {check.error ? <ProblemPanel error={check.error} /> : null}
      <div>
        <Button loading={check.isPending || isChecking(host)} onClick={() => check.mutate(host.id)}>
          Look again
        </Button>
      </div>
    </>
  );
}
