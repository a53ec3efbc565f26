/**
 * Projects, and what belongs to one. `citewell_tenant` is the role of `Store.asProject`: the tables' owner and a
 * superuser bypass row-level security. Roles belong to the whole server, so another database may have created it.
 */
export const projects = `
do $$ begin
  create role citewell_tenant nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant citewell_tenant to %I', current_user);
  end if;
  execute format('grant usage on schema %I to citewell_tenant', current_schema());
end $$;

create table project (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now()
);

create table api_key (
  id uuid primary key default gen_random_uuid(),
  project uuid not null references project on delete cascade,
  name text not null,
  hash bytea not null unique,
  hint text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_key_project on api_key (project);

create table resource (
  project uuid not null references project on delete cascade,
  name text not null,
  spec jsonb not null,
  created_at timestamptz not null default now(),
  primary key (project, name)
);

create table audit (
  id bigint generated always as identity primary key,
  project uuid not null references project on delete cascade,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  target text not null,
  detail jsonb not null default '{}'
);
create index audit_project on audit (project, id);

create unlogged table rate (
  key text primary key,
  tat double precision not null
);

alter table api_key enable row level security;
alter table resource enable row level security;
alter table audit enable row level security;
create policy own on api_key to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
create policy own on resource to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
create policy own on audit to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select, insert, update on api_key to citewell_tenant;
grant select, insert, update, delete on resource to citewell_tenant;
grant select, insert on audit to citewell_tenant;
`;
