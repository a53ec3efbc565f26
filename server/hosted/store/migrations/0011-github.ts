/**
 * Installations of the operator's GitHub App that are connected to a project. `account` owns the repositories. The table
 * contains no secrets.
 */
export const github = `
create table github_installation (
  id uuid primary key default gen_random_uuid(),
  project uuid not null references project on delete cascade,
  host text not null,
  account text not null,
  installation text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  failure text,
  failing_since timestamptz
);
create unique index github_installation_account on github_installation (project, host, lower(account));

alter table github_installation enable row level security;
create policy own on github_installation to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select, insert, update, delete on github_installation to citewell_tenant;
`;
