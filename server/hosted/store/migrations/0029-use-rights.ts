/**
 * Sets the scope of a transaction to what a reader may see (0021). The rights of a member's own key begin with those of the
 * account, and its `resources` only take away. An unknown account or key sees nothing.
 */
export const useRights = `
create function use_rights(of_project uuid, reader_kind text, reader_id uuid) returns void language plpgsql as $$
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
