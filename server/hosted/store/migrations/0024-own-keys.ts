/** Keys of members: `account` is the member, null for a key of the project. Such a key ends with the membership. */
export const ownKeys = `
alter table api_key
  add column account uuid,
  add foreign key (project, account) references member (project, account) on delete cascade;
create index api_key_account on api_key (project, account) where account is not null;
`;
