/**
 * One row for each resource: its fetch that waits, runs, failed or is done. So at most one fetch of a resource runs and one
 * waits. `requested_at` is set while a fetch waits, `lease` while one runs; a lease that has expired belongs to a process
 * that was killed.
 */
export const jobs = `
alter table resource add column asked_at timestamptz;

create table job (
  project uuid not null,
  resource text not null,
  requested_at timestamptz,
  run_at timestamptz not null default now(),
  lease uuid,
  lease_until timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  attempts int not null default 0,
  failure text,
  failed_since timestamptz,
  primary key (project, resource),
  foreign key (project, resource) references resource (project, name) on delete cascade on update cascade
);
create index job_waiting on job (run_at) where requested_at is not null;
create index job_running on job (lease_until) where lease is not null;

insert into job (project, resource, requested_at) select project, name, now() from resource;

alter table job enable row level security;
create policy own on job to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select, insert, update on job to citewell_tenant;
`;
