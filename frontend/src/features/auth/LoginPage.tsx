import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { getRouteApi } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { AuthLayout } from "./AuthLayout";
import classes from "./AuthLayout.module.css";
import { useSignIn } from "./useSignIn";

const route = getRouteApi("/login");

/** Sign in with name and password. */
export function LoginPage() {
  const { next } = route.useSearch();
  const form = useForm({ initialValues: { name: "", password: "" } });
  const signIn = useSignIn(
    (body: typeof form.values) => unwrap(api.POST("/api/v1/session", { body })),
    next,
  );
  return (
    <AuthLayout title="Sign in">
      {signIn.error ? <ProblemPanel error={signIn.error} /> : null}
      <form className={classes.form} onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
        <TextInput
          label="Name"
          autoComplete="username"
          autoFocus
          required
          {...form.getInputProps("name")}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          {...form.getInputProps("password")}
        />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </AuthLayout>
  );
}
