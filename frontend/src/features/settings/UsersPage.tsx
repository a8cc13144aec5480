import { PageHeader } from "@/components/page/PageHeader";

export function UsersPage() {
  return <PageHeader title="Users" />;
}
