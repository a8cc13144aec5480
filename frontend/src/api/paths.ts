import type * as S from "./shapes";

type Json<T> = { headers: Record<string, never>; content: { "application/json": T } };
type Path<O> = O extends { path: infer P } ? { path: P } : { path?: never };
type Query<O> = O extends { query: infer Q } ? { query?: Partial<Q> } : { query?: never };
type Body<O> = O extends { body: infer B }
  ? { requestBody: { content: { "application/json": B } } }
  : { requestBody?: never };
type Op<R, O = object> = {
  parameters: Path<O> & Query<O> & { header?: never; cookie?: never };
  responses: { 200: Json<R> };
} & Body<O>;
type Id = { path: { id: number } };
type Cursor = { cursor: string; limit: number };
type Listing<T, Q = unknown> = Op<S.Page<T>, { query: Cursor & Q }>;

export interface paths {
  "/api/v1/health": { get: Op<S.Health> };
  "/api/v1/setup": {
    post: Op<S.Session, { body: { code: string; name: string; password: string } }>;
  };
  "/api/v1/session": {
    get: Op<S.Session>;
    post: Op<S.Session, { body: { name: string; password: string } }>;
    delete: Op<void>;
  };
  "/api/v1/users": {
    get: Listing<S.User>;
    post: Op<S.User, { body: { name: string; password: string; role: S.Role } }>;
  };
  "/api/v1/users/{id}": {
    patch: Op<S.User, Id & { body: { role?: S.Role; password?: string; disabled?: boolean } }>;
    delete: Op<void, Id>;
  };
  "/api/v1/tokens": {
    get: Listing<S.Token>;
    post: Op<
      S.Token & { token: string },
      { body: { name: string; role: S.Role; expires_in_days: number | null } }
    >;
  };
  "/api/v1/tokens/{id}": { delete: Op<void, Id> };
  "/api/v1/audit": { get: Listing<S.AuditEntry> };
  "/api/v1/credentials": {
    get: Listing<S.Credential>;
    post: Op<
      S.Credential,
      {
        body: {
          name: string;
          kind: S.CredentialKind;
          private_key?: string;
          passphrase?: string;
          password?: string;
        };
      }
    >;
  };
  "/api/v1/credentials/{id}": { delete: Op<void, Id> };
  "/api/v1/arrays": {
    get: Listing<S.StorageArray>;
    post: Op<S.StorageArray, { body: Partial<S.StorageArray> & { name: string } }>;
  };
  "/api/v1/arrays/{id}": {
    patch: Op<S.StorageArray, Id & { body: Partial<S.StorageArray> }>;
    delete: Op<void, Id>;
  };
  "/api/v1/hosts": {
    get: Listing<S.Host>;
    post: Op<S.Host, { body: HostDraft }>;
  };
  "/api/v1/hosts/{id}": {
    get: Op<S.Host, Id>;
    patch: Op<S.Host, Id & { body: Partial<HostDraft> }>;
    delete: Op<void, Id>;
  };
  "/api/v1/hosts/{id}/check": { post: Op<S.Host, Id & { query: { wait: number } }> };
  "/api/v1/hosts/{id}/host-key": {
    get: Op<{ approved: S.HostKey | null; offered: S.HostKey | null }, Id>;
    post: Op<
      { approved: S.HostKey | null; offered: S.HostKey | null },
      Id & { body: { fingerprint: string } }
    >;
  };
  "/api/v1/hosts/{id}/inventory": { get: Op<S.Inventory, Id> };
  "/api/v1/targets": {
    get: Listing<S.Target, { host_id: number }>;
    post: Op<S.Target, { body: TargetDraft }>;
  };
  "/api/v1/targets/{id}": {
    get: Op<S.Target, Id>;
    patch: Op<
      S.Target,
      Id & { body: { name?: string; array_id?: number | null; reserve_bytes?: number | null } }
    >;
    delete: Op<void, Id>;
  };
  "/api/v1/targets/{id}/check": { post: Op<S.Target, Id> };
  "/api/v1/profiles": {
    get: Listing<S.Profile>;
    post: Op<S.Profile, { body: ProfileDraft }>;
  };
  "/api/v1/profiles/{id}": {
    get: Op<S.Profile, Id>;
    put: Op<S.Profile, Id & { body: ProfileDraft }>;
    delete: Op<void, Id>;
  };
  "/api/v1/profiles/{id}/copy": { post: Op<S.Profile, Id & { body: { name: string } }> };
  "/api/v1/campaigns": {
    get: Listing<S.Campaign, { state: string }>;
    post: Op<S.Campaign, { body: S.Plan }>;
  };
  "/api/v1/campaigns/estimate": { post: Op<S.Estimate, { body: S.Plan }> };
  "/api/v1/campaigns/{id}": { get: Op<S.Campaign, Id & { query: { wait: number } }> };
  "/api/v1/campaigns/{id}/cancel": { post: Op<S.Campaign, Id> };
  "/api/v1/runs": {
    get: Listing<
      S.RunSummary,
      { campaign_id: number; host_id: number; target_id: number; state: string }
    >;
  };
  "/api/v1/runs/{id}": { get: Op<S.Run, Id> };
  "/api/v1/runs/{id}/matrix": { get: Op<S.Matrix, Id> };
  "/api/v1/trials/{id}": { get: Op<S.Trial, Id> };
  "/api/v1/trials/{id}/samples": { get: Op<S.Samples, Id & { query: { points: number } }> };
  "/api/v1/compare": { get: Op<S.Comparison, { query: { runs: string } }> };
  "/api/v1/overview": { get: Op<S.Overview> };
}

export type HostDraft = {
  name: string;
  connection: "ssh" | "local";
  address?: string | null;
  port?: number | null;
  user?: string | null;
  credential_id?: number | null;
  probe_dir?: string | null;
};

export type TargetDraft = {
  host_id: number;
  path: string;
  name?: string;
  array_id?: number | null;
  reserve_bytes?: number | null;
  root_consent?: boolean;
};

export type ProfileDraft = {
  name: string;
  description: string;
  body: { tests: S.Test[]; watch_ms: number };
};
