import { PageHeader } from "@/components/page/PageHeader";

export function ResultPage() {
  return <PageHeader title="Result" />;
}
