import { PageHeader } from "@/components/page/PageHeader";

export function LoginPage() {
  return <PageHeader title="Login" />;
}
