import { PageHeader } from "@/components/page/PageHeader";

export function ArraysPage() {
  return <PageHeader title="Arrays" />;
}
