import { Button, PasswordInput, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { AuthLayout } from "./AuthLayout";
import classes from "./AuthLayout.module.css";
import { useSignIn } from "./useSignIn";

const SHORTEST_PASSWORD = 8;

/** The first start: the code that it printed makes the first administrator. */
export function SetupPage() {
  const [code, setCode] = useState("");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const setUp = useSignIn(() =>
    unwrap(api.POST("/api/v1/setup", { body: { code: code.trim(), name, password } })),
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
        onSubmit={(event) => {
          event.preventDefault();
          setUp.mutate(undefined);
        }}
      >
        <TextInput
          label="Setup code"
          autoComplete="off"
          autoFocus
          required
          styles={{ input: { fontFamily: "var(--font-figures)" } }}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={problem?.fields.code}
        />
        <TextInput
          label="User name"
          autoComplete="username"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem?.fields.name}
        />
        <PasswordInput
          label="Password"
          description={`At least ${SHORTEST_PASSWORD} characters.`}
          autoComplete="new-password"
          required
          minLength={SHORTEST_PASSWORD}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problem?.fields.password}
        />
        <Button type="submit" loading={setUp.isPending}>
          Create administrator
        </Button>
      </form>
    </AuthLayout>
  );
}
