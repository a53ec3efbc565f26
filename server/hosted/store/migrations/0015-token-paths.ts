/** Several tokens for one host: each applies to the repositories below its path; an empty path applies to all others. */
export const tokenPaths = `
alter table git_token add column path text not null default '';
alter table git_token drop constraint git_token_project_host_key;
create unique index git_token_place on git_token (project, host, lower(path));
`;
