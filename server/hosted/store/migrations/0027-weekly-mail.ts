/** The projects whose owners get a mail each week, and when the next one is due. Only the service itself reads it. */
export const weeklyMail = `
create table weekly_mail (
  project uuid primary key references project on delete cascade,
  due_at timestamptz not null
);
alter table weekly_mail enable row level security;
create policy own on weekly_mail to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
`;
