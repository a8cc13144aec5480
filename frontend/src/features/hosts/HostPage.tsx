import { PageHeader } from "@/components/page/PageHeader";

export function HostPage() {
  return <PageHeader title="Host" />;
}
