import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { Resolved } from "./Resolved";

type Answer = { resolve: (hosts: string[]) => void; reject: (error: Error) => void };

function setUp() {
  const answers: Answer[] = [];
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  function Hosts() {
    const query = useQuery({
      queryKey: ["hosts"],
      queryFn: () => new Promise<string[]>((resolve, reject) => answers.push({ resolve, reject })),
    });
    return (
      <Resolved query={query} what="hosts">
        {(hosts) => <p>{hosts.join()}</p>}
      </Resolved>
    );
  }
  rendered(
    <QueryClientProvider client={client}>
      <Hosts />
    </QueryClientProvider>,
  );
  const fail = async () => {
    answers.at(-1)?.reject(new Error("The server is away"));
    await screen.findByRole("alert");
  };
  return { client, answers, fail };
}

it("keeps the error of a list that fails again while it is fetched again", async () => {
  const { client, answers, fail } = setUp();
  await fail();
  for (const round of [2, 3]) {
    await act(async () => void client.refetchQueries({ queryKey: ["hosts"] }));
    expect(answers).toHaveLength(round);
    expect(screen.getByRole("alert")).toBeTruthy();
    await fail();
  }
});

it("replaces the error by the data of a later success", async () => {
  const { client, answers, fail } = setUp();
  await fail();
  await act(async () => void client.refetchQueries({ queryKey: ["hosts"] }));
  await act(async () => answers.at(-1)?.resolve(["box37"]));
  expect(await screen.findByText("box37")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});
