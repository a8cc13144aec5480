import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { api, asProblem, rememberCsrf, unwrap } from "@/api/client";
import { sessionQuery } from "@/api/queries";
import type { Session } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { AuthLayout } from "./AuthLayout";
import classes from "./AuthLayout.module.css";

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

const SHORTEST_PASSWORD = 8;

/** First start: create the administrator account with the code that Assay printed. */
export function SetupPage() {
  const form = useForm({ initialValues: { code: "", name: "", password: "" } });
  const setUp = useSignIn((body: typeof form.values) =>
    unwrap(api.POST("/api/v1/setup", { body: { ...body, code: body.code.trim() } })),
  );
  const problem = setUp.error ? asProblem(setUp.error) : null;
  return (
    <AuthLayout title="Set up Assay">
      <p className={classes.text}>
        Enter the one-time code that Assay printed at first start to create the administrator
        account.
      </p>
      {problem && Object.keys(problem.fields).length === 0 ? (
        <ProblemPanel error={problem} />
      ) : null}
      {problem?.code === "already_set_up" ? <Link to="/login">Sign in instead</Link> : null}
      <form
        className={classes.form}
        onSubmit={form.onSubmit((values) =>
          setUp.mutate(values, { onError: (error) => form.setErrors(asProblem(error).fields) }),
        )}
      >
        <TextInput
          label="Setup code"
          autoComplete="off"
          autoFocus
          required
          styles={{ input: { fontFamily: "var(--font-figures)" } }}
          {...form.getInputProps("code")}
        />
        <TextInput
          label="User name"
          autoComplete="username"
          required
          {...form.getInputProps("name")}
        />
        <PasswordInput
          label="Password"
          description={`At least ${SHORTEST_PASSWORD} characters.`}
          autoComplete="new-password"
          required
          minLength={SHORTEST_PASSWORD}
          {...form.getInputProps("password")}
        />
        <Button type="submit" loading={setUp.isPending}>
          Create administrator
        </Button>
      </form>
    </AuthLayout>
  );
}

/** Start a session with `start`, then open the page that was requested. */
function useSignIn<Input>(start: (input: Input) => Promise<Session>, next = "/") {
  const queryClient = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: start,
    onSuccess: (session) => {
      rememberCsrf(session.csrf);
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, session);
      router.history.push(next);
    },
  });
}
