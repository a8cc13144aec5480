import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { LoginPage } from "./SignInPages";

afterEach(() => vi.unstubAllGlobals());

/** The page at its own path, and a page that it leads to. */
function atLogin() {
  const root = createRootRoute();
  const login = createRoute({
    getParentRoute: () => root,
    path: "/login",
    validateSearch: () => ({ next: "/hosts" }),
    component: LoginPage,
  });
  const hosts = createRoute({
    getParentRoute: () => root,
    path: "/hosts",
    component: () => <h1>Hosts</h1>,
  });
  const router = createRouter({
    routeTree: root.addChildren([login, hosts]),
    history: createMemoryHistory({ initialEntries: ["/login"] }),
  });
  rendered(<RouterProvider router={router as never} />);
}

async function signIn(answer: Response) {
  vi.stubGlobal("fetch", async () => answer);
  atLogin();
  fireEvent.change(await screen.findByLabelText(/Name/), { target: { value: "ada" } });
  fireEvent.change(screen.getByLabelText(/Password/), { target: { value: "wrong" } });
  fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
}

it("shows why a sign-in was rejected, and stays", async () => {
  const problem = {
    title: "Name or password is wrong",
    status: 401,
    detail: "Try again, or ask an administrator for a new password.",
    code: "wrong_login",
    errors: [],
  };
  const headers = { "Content-Type": "application/problem+json" };
  await signIn(Response.json(problem, { status: 401, headers }));
  expect((await screen.findByRole("alert")).textContent).toContain(problem.title);
  expect(screen.getByRole("button", { name: "Sign in" })).toBeDefined();
});

it("continues to the requested page", async () => {
  await signIn(Response.json({ user: { id: 1, name: "ada", role: "admin" }, csrf: "x" }));
  expect(await screen.findByRole("heading", { name: "Hosts" })).toBeDefined();
});
