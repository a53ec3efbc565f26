/**
 * Rights that a git host decides. `host_identity` is who an account is at a host: its number there, which stays when the person
 * changes the name. With limits_members of a connected account, the host decides who uses its resources: they have its id in
 * rights_from, from the moment they are added, and their rows of resource_access count until a time. rights_run_at is the
 * time of the next check.
 */
export const hostRights = `
create table host_identity (
  host text not null,
  host_id text not null,
  account uuid not null references account on delete cascade,
  login text not null,
  proved_at timestamptz not null default now(),
  primary key (host, host_id),
  unique (host, account)
);
alter table host_identity enable row level security;

alter table github_installation
  add column limits_members boolean not null default false,
  add column rights_run_at timestamptz,
  add column rights_checked_at timestamptz,
  add column rights_failure text;
alter table resource add column rights_from uuid references github_installation on delete set null;
create index resource_rights_from on resource (rights_from) where rights_from is not null;
alter table resource_access add column until timestamptz;
grant update on resource_access to citewell_tenant;

create function host_place(url text) returns text language sql immutable as $$
  select replace(regexp_replace(lower(url), '^[a-z]+://([^/@]*@)?', ''), ':443/', '/')
$$;

create function limit_by_host() returns trigger language plpgsql as $$
declare
  source uuid;
begin
  select g.id into source from github_installation g
    where g.project = new.project and g.limits_members
      and starts_with(host_place(new.spec->>'url'), lower(g.host || '/' || g.account || '/'));
  if source is not null then
    new.is_limited := true;
    new.rights_from := source;
    update github_installation set rights_run_at = now() where id = source;
  end if;
  return new;
end $$;
create trigger limit_by_host before insert or update of spec on resource
  for each row execute function limit_by_host();

create function check_host_rights() returns trigger language plpgsql as $$
begin
  update github_installation set rights_run_at = now() where project = new.project and limits_members;
  return new;
end $$;
create trigger check_host_rights after insert on member for each row execute function check_host_rights();

create policy of_reader on daily_resource_usage as restrictive to citewell_tenant using (
  (select coalesce(current_setting('citewell.scope', true), '') in ('', 'all'))
  or resource in (select r.name from resource r));
`;
