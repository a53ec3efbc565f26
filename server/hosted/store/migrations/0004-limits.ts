/**
 * Limits of a project (`ProjectLimits`), what it used in each month, and its running questions. A running question has a
 * lease that its process renews, and reserves what it may use at most.
 */
export const projectLimits = `
alter table project add column limits jsonb not null default '{}';

create table usage (
  project uuid not null references project on delete cascade,
  month date not null,
  questions int not null default 0,
  tokens bigint not null default 0,
  micro_usd bigint not null default 0,
  primary key (project, month)
);

create table running_question (
  id uuid primary key default gen_random_uuid(),
  project uuid not null references project on delete cascade,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null,
  reserved_tokens bigint not null,
  reserved_micro_usd bigint not null
);
create index running_question_project on running_question (project);

alter table usage enable row level security;
alter table running_question enable row level security;
create policy own on usage to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
create policy own on running_question to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select on usage to citewell_tenant;
grant select on running_question to citewell_tenant;
`;
