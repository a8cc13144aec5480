import { PageHeader } from "@/components/page/PageHeader";

export function LaunchPage() {
  return <PageHeader title="Launch" />;
}
