import { PageHeader } from "@/components/page/PageHeader";

export function OverviewPage() {
  return <PageHeader title="Overview" />;
}
