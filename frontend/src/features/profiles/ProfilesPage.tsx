import { PageHeader } from "@/components/page/PageHeader";

export function ProfilesPage() {
  return <PageHeader title="Profiles" />;
}
