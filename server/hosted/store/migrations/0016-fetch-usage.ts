/** How many fetches each project requested in the last hour in which it requested any. */
export const fetchUsage = `
create table fetch_usage (
  project uuid primary key references project on delete cascade,
  hour timestamptz not null,
  fetches int not null
);
alter table fetch_usage enable row level security;
create policy own on fetch_usage to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select, insert, update on fetch_usage to citewell_tenant;
`;
