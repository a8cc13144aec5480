/** For tests: a component in the providers of every page, without router and server. */
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type RenderResult, render } from "@testing-library/react";
import { RateUnitProvider } from "@/components/quantities";
import { theme } from "@/theme/theme";

/** Render with a separate query client that never retries. */
export function rendered(element: React.ReactNode): RenderResult {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(element, {
    wrapper: ({ children }: { children: React.ReactNode }) => (
      <MantineProvider theme={theme} env="test">
        <QueryClientProvider client={queryClient}>
          <RateUnitProvider>{children}</RateUnitProvider>
        </QueryClientProvider>
      </MantineProvider>
    ),
  });
}
