import { PageHeader } from "@/components/page/PageHeader";

export function AuditPage() {
  return <PageHeader title="Audit" />;
}
