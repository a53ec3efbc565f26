/**
 * Names are looked up by their hash: PostgreSQL compares a name with each of an array, and a person may use a thousand of
 * two thousand limited resources.
 */
export const hashedNames = `
alter policy of_reader on resource using (
  (select coalesce(current_setting('citewell.scope', true), '') in ('', 'all'))
  or (not is_limited and (select current_setting('citewell.scope', true) = 'open'))
  or name in (select unnest(nullif(current_setting('citewell.names', true), '')::text[]))
);

create or replace function closed_names() returns text[] language sql stable security definer set search_path from current as $$
  select coalesce(array_agg(name), '{}') from resource
  where project = current_setting('citewell.project')::uuid and is_limited
    and name not in (select unnest(current_setting('citewell.names')::text[]))
$$;

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
    names := array(select a.resource from resource_access a where a.project = of_project and a.account = person
      and (a.until is null or a.until > now()));
    if only_names is not null then
      names := array(select r.name from resource r where r.project = of_project and r.name in (select unnest(only_names))
        and (scope = 'all' or scope = 'open' and (not r.is_limited or r.name in (select unnest(names)))));
      scope := 'named';
    end if;
  end if;
  names := coalesce(names, '{}');
  if scope = 'open' and not exists (
    select from resource r where r.project = of_project and r.is_limited and r.name not in (select unnest(names))
  ) then
    scope := 'all';
  end if;
  perform set_config('citewell.scope', coalesce(scope, 'named'), true), set_config('citewell.names', names::text, true);
end $$;
`;
