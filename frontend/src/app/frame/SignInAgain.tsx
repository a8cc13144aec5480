import { Button, Modal, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, rememberCsrf, unwrap } from "@/api/client";
import { sessionQuery } from "@/api/queries";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { sessionEnded } from "./sessionEnded";

/** Above the dialogs of pages, which keep what was typed. */
const ABOVE_DIALOGS = 400;

/** A dialog over a page whose session has ended: the page and its forms stay as they are. */
export function SignInAgain() {
  const client = useQueryClient();
  const before = client.getQueryData(sessionQuery.queryKey);
  const form = useForm({ initialValues: { name: before?.user.name ?? "", password: "" } });
  const signIn = useMutation({
    mutationFn: (body: typeof form.values) => unwrap(api.POST("/api/v1/session", { body })),
    onSuccess: async (session) => {
      // what another user may see and do is not what the page shows
      if (session.user.id !== before?.user.id) return globalThis.location.reload();
      rememberCsrf(session.csrf);
      client.setQueryData(sessionQuery.queryKey, session);
      sessionEnded.set(false);
      await client.invalidateQueries();
    },
  });
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Sign in again"
      zIndex={ABOVE_DIALOGS}
      overlayProps={{ blur: 8, backgroundOpacity: 0.6 }}
    >
      <form className={layout.form} onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
        <p className={layout.hint}>Your session has ended. What you typed on this page is kept.</p>
        {signIn.error ? <ProblemPanel error={signIn.error} /> : null}
        <TextInput label="Name" autoComplete="username" required {...form.getInputProps("name")} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps("password")}
        />
        <div className={layout.actions}>
          <Button type="submit" loading={signIn.isPending}>
            Sign in
          </Button>
          <Button component="a" variant="subtle" href="/login">
            Leave page
          </Button>
        </div>
      </form>
    </Modal>
  );
}
