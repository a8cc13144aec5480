import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { api, unwrap } from "@/api/client";
import type { Host } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import {
  LabelFields,
  labelBody,
  labelValues,
  validateLabels,
} from "@/components/labels/LabelFields";
import { ManagedBy } from "@/features/declarations/ManagedBy";
import { useCacheHost } from "./useHostCheck";

/** A button that edits a host's labels and reference in a dialog. */
export function EditHostLabels({ host }: { host: Host }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Edit labels
      </Button>
      <Modal opened={opened} onClose={close} title={`Labels of ${host.name}`}>
        <HostLabelsForm host={host} onSaved={close} />
      </Modal>
    </>
  );
}

function HostLabelsForm({ host, onSaved }: { host: Host; onSaved: () => void }) {
  const cache = useCacheHost();
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: labelValues(host),
    validate: { labels: validateLabels },
    changed: "hosts",
    send: (values) =>
      unwrap(
        api.PATCH("/api/v1/hosts/{host_id}", {
          params: { path: { host_id: host.id } },
          body: labelBody(values),
        }),
      ),
    onSaved: (saved) => {
      cache(saved);
      onSaved();
    },
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <ManagedBy file={host.managed_by} />
      <LabelFields getInputProps={form.getInputProps} />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Save labels
        </Button>
      </div>
    </form>
  );
}
