/**
 * What each client program used on each day: its name and version, or a name of ours that begins with a colon
 * (`limits/clients.ts`). A question that an older node asks meanwhile is of none that is known.
 */
export const clientUsage = `
create table daily_client_usage (
  project uuid not null references project on delete cascade,
  day date not null,
  client text not null,
  questions int not null default 0,
  tokens bigint not null default 0,
  micro_usd bigint not null default 0,
  without_evidence int not null default 0,
  slow int not null default 0,
  failed int not null default 0,
  primary key (project, day, client)
);
alter table daily_client_usage enable row level security;
create policy own on daily_client_usage to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select on daily_client_usage to citewell_tenant;
alter table running_question add column client text not null default ':unknown';
`;
