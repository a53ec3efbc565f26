/**
 * Sealed secrets: a project's tokens for git hosts, and the secret of its webhook. `sealed` opens only with a key from
 * outside the database, of which `key_version` is the name, and only in its own row. `needs_token` of a job is the host
 * whose repository was not found without a token.
 */
export const secrets = `
create table git_token (
  id uuid primary key,
  project uuid not null references project on delete cascade,
  host text not null,
  name text not null,
  username text not null,
  hint text not null,
  sealed bytea not null,
  key_version text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  failure text,
  failing_since timestamptz,
  unique (project, host)
);

create table webhook (
  id uuid primary key,
  project uuid not null unique references project on delete cascade,
  sealed bytea not null,
  key_version text not null,
  created_at timestamptz not null default now(),
  last_received_at timestamptz
);

alter table job add column needs_token text;

alter table git_token enable row level security;
alter table webhook enable row level security;
create policy own on git_token to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
create policy own on webhook to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select, insert, update, delete on git_token to citewell_tenant;
grant select, insert, update, delete on webhook to citewell_tenant;
`;
