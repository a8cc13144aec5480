import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { RateUnitProvider } from "@/components/quantities";
import { theme, variables } from "@/theme/theme";
import { queryClient } from "./queryClient";
import { router } from "./router";

/** The application with all its providers. */
export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <RateUnitProvider>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </RateUnitProvider>
    </MantineProvider>
  );
}
