/**
 * How questions ended, by day: for each key and account, and for each resource that they named or whose lines they cited. A
 * resource's counts stay when it is removed.
 */
export const questionOutcomes = `
alter table daily_usage
  add column without_evidence int not null default 0,
  add column slow int not null default 0,
  add column failed int not null default 0;
create table daily_resource_usage (
  project uuid not null references project on delete cascade,
  day date not null,
  resource text not null,
  questions int not null default 0,
  without_evidence int not null default 0,
  slow int not null default 0,
  failed int not null default 0,
  primary key (project, day, resource)
);
alter table daily_resource_usage enable row level security;
create policy own on daily_resource_usage to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select on daily_resource_usage to citewell_tenant;
`;
