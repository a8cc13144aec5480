import { PageHeader } from "@/components/page/PageHeader";

export function ProfilePage() {
  return <PageHeader title="Profile" />;
}
