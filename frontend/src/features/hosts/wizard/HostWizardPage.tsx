import { PageHeader } from "@/components/page/PageHeader";

export function HostWizardPage() {
  return <PageHeader title="HostWizard" />;
}
