import { PageHeader } from "@/components/page/PageHeader";

export function CredentialsPage() {
  return <PageHeader title="Credentials" />;
}
