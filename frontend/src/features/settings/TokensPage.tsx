import { PageHeader } from "@/components/page/PageHeader";

export function TokensPage() {
  return <PageHeader title="Tokens" />;
}
