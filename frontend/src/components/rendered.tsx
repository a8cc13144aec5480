/** For tests: a component within the providers that every page has, without a router or a server. */
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type RenderResult, render } from "@testing-library/react";
import { RateUnitProvider } from "@/components/quantities";
import { theme } from "@/theme/theme";

/** Renders with a query client of its own, which never retries. */
export function rendered(element: React.ReactNode): RenderResult {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={queryClient}>
        <RateUnitProvider>{element}</RateUnitProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
}
