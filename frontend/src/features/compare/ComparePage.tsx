import { PageHeader } from "@/components/page/PageHeader";

export function ComparePage() {
  return <PageHeader title="Compare" />;
}
