/**
 * What each key and account of a project used on each day (UTC). `usage` stays the counter that limits are compared with.
 * `own_limits` are the limits that owners set; `limits` are the operator's.
 */
export const dailyUsage = `
alter table project add column own_limits jsonb not null default '{}';
alter table running_question add column actor text not null default 'unknown';

create table daily_usage (
  project uuid not null references project on delete cascade,
  day date not null,
  actor text not null,
  questions int not null default 0,
  tokens bigint not null default 0,
  micro_usd bigint not null default 0,
  primary key (project, day, actor)
);

alter table daily_usage enable row level security;
create policy own on daily_usage to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select on daily_usage to citewell_tenant;
`;
