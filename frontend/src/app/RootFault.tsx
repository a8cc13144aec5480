import type { ErrorComponentProps } from "@tanstack/react-router";
import { AuthLayout } from "@/features/auth/AuthLayout";
import { RouteFault } from "./RouteFault";

/** In place of the frame too, where not even who is signed in could be asked. */
export function RootFault(fault: ErrorComponentProps) {
  return (
    <AuthLayout title="Assay cannot be opened">
      <RouteFault {...fault} />
    </AuthLayout>
  );
}
