/**
 * What questions fetched of a resource beside its snapshot, and when it was last used: other revisions, by their name, and
 * its history, under an empty one. It counts for the disk space of the project.
 */
export const keptRevisions = `
create table kept_revision (
  project uuid not null,
  resource text not null,
  revision text not null,
  bytes bigint not null default 0,
  used_at timestamptz not null default now(),
  primary key (project, resource, revision),
  foreign key (project, resource) references resource (project, name) on delete cascade on update cascade
);
alter table kept_revision enable row level security;
create policy own on kept_revision to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
create policy of_reader on kept_revision as restrictive to citewell_tenant using (
  (select coalesce(current_setting('citewell.scope', true), '') in ('', 'all'))
  or resource in (select r.name from resource r));
grant select, insert, update on kept_revision to citewell_tenant;
`;
