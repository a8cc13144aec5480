import { PageHeader } from "@/components/page/PageHeader";

export function CampaignPage() {
  return <PageHeader title="Campaign" />;
}
