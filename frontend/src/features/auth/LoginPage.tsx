import { Button, PasswordInput, TextInput } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { AuthLayout } from "./AuthLayout";
import classes from "./AuthLayout.module.css";
import { useSignIn } from "./useSignIn";

const route = getRouteApi("/login");

/** Name and password. */
export function LoginPage() {
  const { next } = route.useSearch();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useSignIn(
    () => unwrap(api.POST("/api/v1/session", { body: { name, password } })),
    next,
  );
  return (
    <AuthLayout title="Sign in">
      {signIn.error ? <ProblemPanel error={signIn.error} /> : null}
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate(undefined);
        }}
      >
        <TextInput
          label="Name"
          autoComplete="username"
          autoFocus
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </AuthLayout>
  );
}
