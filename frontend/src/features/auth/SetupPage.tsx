import { PageHeader } from "@/components/page/PageHeader";

export function SetupPage() {
  return <PageHeader title="Setup" />;
}
