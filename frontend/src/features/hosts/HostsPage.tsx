import { PageHeader } from "@/components/page/PageHeader";

export function HostsPage() {
  return <PageHeader title="Hosts" />;
}
