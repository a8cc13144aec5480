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
    <AuthLayout title="Set up this Assay">
      <p className={classes.text}>
        The first start printed a one-time code in its terminal. It makes the first administrator.
      </p>
      {problem && Object.keys(problem.fields).length === 0 ? (
        <ProblemPanel error={problem} />
      ) : null}
      {problem?.code === "already_set_up" ? <Link to="/login">Go to the sign-in page</Link> : null}
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          setUp.mutate(undefined);
        }}
      >
        <TextInput
          label="Set-up code"
          autoComplete="off"
          autoFocus
          required
          styles={{ input: { fontFamily: "var(--font-figures)" } }}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={problem?.fields.code}
        />
        <TextInput
          label="Your name"
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
