/**
 * Rights that hosts of all kinds decide (0026 had those of connected GitHub accounts, whose columns stay for nodes of the
 * version before). A row of host_rights is an account of a host that decides who uses its resources; the longest account
 * that begins a URL decides. Its id is in their rights_from. run_at is the time of the next check, and rights_checked_at of
 * a resource that of the last answer about it: a check that breaks off is continued with the oldest.
 */
export const rightsOfAllHosts = `
create table host_rights (
  id uuid primary key default gen_random_uuid(),
  project uuid not null references project on delete cascade,
  kind text not null,
  host text not null,
  account text not null,
  run_at timestamptz not null default now(),
  checked_at timestamptz,
  failure text
);
create unique index host_rights_place on host_rights (project, host, lower(account));
create index host_rights_due on host_rights (run_at);
alter table host_rights enable row level security;
create policy own on host_rights to citewell_tenant using (project = current_setting('citewell.project')::uuid);
grant select, insert, update, delete on host_rights to citewell_tenant;

insert into host_rights (id, project, kind, host, account, checked_at, failure)
  select id, project, 'github', host, account, rights_checked_at, rights_failure from github_installation
  where limits_members;
update github_installation set limits_members = false;
alter table resource drop constraint resource_rights_from_fkey;
alter table resource add foreign key (rights_from) references host_rights on delete set null;
alter table resource add column rights_checked_at timestamptz;

create function rights_source(of_project uuid, url text) returns uuid language sql stable as $$
  select h.id from host_rights h
  where h.project = of_project and starts_with(host_place(url), lower(h.host || '/' || h.account || '/'))
  order by length(h.account) desc limit 1
$$;

create or replace function limit_by_host() returns trigger language plpgsql as $$
declare
  source uuid := rights_source(new.project, new.spec->>'url');
begin
  if source is not null then
    new.is_limited := true;
    new.rights_from := source;
    update host_rights set run_at = now() where id = source;
  end if;
  return new;
end $$;

create or replace function check_host_rights() returns trigger language plpgsql as $$
begin
  update host_rights set run_at = now() where project = new.project;
  return new;
end $$;

create function check_rights_of_person() returns trigger language plpgsql as $$
begin
  update host_rights set run_at = now() where project in (select project from member where account = new.account);
  return new;
end $$;
create trigger check_rights_of_person after insert on host_identity
  for each row execute function check_rights_of_person();
create trigger check_rights_of_person after insert on identity
  for each row execute function check_rights_of_person();
`;
