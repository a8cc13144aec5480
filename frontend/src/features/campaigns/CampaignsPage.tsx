import { PageHeader } from "@/components/page/PageHeader";

export function CampaignsPage() {
  return <PageHeader title="Campaigns" />;
}
