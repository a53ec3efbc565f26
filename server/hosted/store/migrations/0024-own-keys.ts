/**
 * Keys of members: `account` is whose it is, null for a key of the project. Such a key ends with the membership, and may never
 * use more than the member: `use_rights` begins with the rights of the account, of which `resources` can only take away.
 */
export const ownKeys = `
alter table api_key
  add column account uuid,
  add foreign key (project, account) references member (project, account) on delete cascade;
create index api_key_account on api_key (project, account) where account is not null;

create or replace function use_rights(of_project uuid, reader_kind text, reader_id uuid) returns void language plpgsql as $$
declare
  person uuid;
  scope text;
  names text[];
  only_names text[];
begin
  if reader_kind = 'account' then
    person := reader_id;
  else
    select k.account, k.resources, case when k.resources is null then 'open' else 'named' end
      into person, only_names, scope
      from api_key k where k.project = of_project and k.id = reader_id;
    names := only_names;
  end if;
  if person is not null then
    select case m.role when 'member' then 'open' else 'all' end into scope
      from member m where m.project = of_project and m.account = person;
    names := array(select a.resource from resource_access a where a.project = of_project and a.account = person);
    if only_names is not null then
      names := array(select r.name from resource r where r.project = of_project and r.name = any (only_names)
        and (scope = 'all' or scope = 'open' and (not r.is_limited or r.name = any (names))));
      scope := 'named';
    end if;
  end if;
  names := coalesce(names, '{}');
  if scope = 'open' and not exists (
    select from resource r where r.project = of_project and r.is_limited and r.name <> all (names)
  ) then
    scope := 'all';
  end if;
  perform set_config('citewell.scope', coalesce(scope, 'named'), true), set_config('citewell.names', names::text, true);
end $$;
`;
