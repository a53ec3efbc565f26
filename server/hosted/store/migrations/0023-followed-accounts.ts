/**
 * The accounts of git hosts whose repositories a project follows. A run lists them and changes the project's resources. At
 * run_at the next one is due; lease is set while one runs. Runs that failed wait longer each time (attempts). With
 * adds_limited, members see a new resource only when an admin chose them. last_run is a FollowPlan.
 *
 * A resource that came from an account has its id, and the host's id of the repository, which stays when it is renamed. If
 * the account is not followed any more, its resources stay as if they were added by hand. The resources of a group of
 * followed accounts are not listed in resource_group: those rows are the groups that people make.
 */
export const followedAccounts = `
create table followed_account (
  id uuid primary key default gen_random_uuid(),
  project uuid not null references project on delete cascade,
  kind text not null,
  host text not null,
  account text not null,
  group_name text not null,
  filters jsonb not null,
  adds_limited boolean not null default false,
  created_at timestamptz not null default now(),
  run_at timestamptz not null default now(),
  lease uuid,
  lease_until timestamptz,
  attempts int not null default 0,
  listed_at timestamptz,
  failure text,
  failing_since timestamptz,
  last_run jsonb
);
create unique index followed_account_place on followed_account (project, host, lower(account));
create unique index followed_account_group on followed_account (project, lower(group_name));
create index followed_account_due on followed_account (run_at);

alter table resource add column followed uuid references followed_account on delete set null;
alter table resource add column host_id text;
create unique index resource_host_id on resource (followed, host_id) where followed is not null;
create index job_held on job (project) where run_at = 'infinity';

create table resource_group (
  project uuid not null,
  name text not null,
  resource text not null,
  primary key (project, name, resource),
  foreign key (project, resource) references resource (project, name) on delete cascade on update cascade
);
create index resource_group_resource on resource_group (project, resource);

create policy of_reader on resource_group as restrictive to citewell_tenant using (
  (select coalesce(current_setting('citewell.scope', true), '') in ('', 'all'))
  or resource in (select r.name from resource r));
do $$ declare name text; begin
  foreach name in array array['followed_account', 'resource_group'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy own on %I to citewell_tenant
      using (project = current_setting(''citewell.project'')::uuid)', name);
  end loop;
end $$;
grant select, insert, update, delete on followed_account, resource_group to citewell_tenant;
`;
