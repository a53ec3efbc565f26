/**
 * Who may see a resource, and the answers about it. `Store.asProject` sets `citewell.scope` and `citewell.names`, for a
 * reader with `use_rights` (0029):
 *
 * - `all`: every resource, as for the service itself
 * - `open`: those that are not limited, and those of the names
 * - `named`: those of the names
 *
 * A node of the version before sets neither and sees every resource. A turn that it stores has no `resources`.
 *
 * Names are selected from a subquery, which PostgreSQL hashes: it compares a name with each element of an array, and a person
 * may use a thousand of two thousand limited resources.
 */
export const rights = `
alter table resource add column is_limited boolean not null default false;
create index resource_limited on resource (project) where is_limited;

-- The members who may use a limited resource. Owners and admins may use all.
create table resource_access (
  project uuid not null,
  resource text not null,
  account uuid not null,
  created_at timestamptz not null default now(),
  primary key (project, resource, account),
  foreign key (project, resource) references resource (project, name) on delete cascade on update cascade,
  foreign key (project, account) references member (project, account) on delete cascade
);
create index resource_access_account on resource_access (project, account);

-- All resources that the answer may come from: also those of the turns before it, which the model has read.
alter table thread_turn add column resources text[];
update thread_turn u set resources = t.resources from thread t where t.project = u.project and t.id = u.thread;

-- The resources that the reader may not see; the tenant itself cannot read their names.
create function closed_names() returns text[] language sql stable security definer set search_path from current as $$
  select coalesce(array_agg(name), '{}') from resource
  where project = current_setting('citewell.project')::uuid and is_limited
    and name not in (select unnest(current_setting('citewell.names')::text[]))
$$;

create policy of_reader on resource as restrictive to citewell_tenant using (
  (select coalesce(current_setting('citewell.scope', true), '') in ('', 'all'))
  or (not is_limited and (select current_setting('citewell.scope', true) = 'open'))
  or name in (select unnest(nullif(current_setting('citewell.names', true), '')::text[]))
);
do $$ declare name text; begin
  foreach name in array array['job', 'resource_access'] loop
    execute format('create policy of_reader on %I as restrictive to citewell_tenant using (
      (select coalesce(current_setting(''citewell.scope'', true), '''') in ('''', ''all''))
      or resource in (select r.name from resource r))', name);
  end loop;
end $$;
create policy of_reader on thread_turn as restrictive to citewell_tenant using (
  (select coalesce(current_setting('citewell.scope', true), '') in ('', 'all'))
  or not coalesce(resources && (select closed_names()), false)
);

alter table resource_access enable row level security;
create policy own on resource_access to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select, insert, delete on resource_access to citewell_tenant;
`;
