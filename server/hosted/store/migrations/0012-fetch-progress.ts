/** How far a running fetch is; of its last run otherwise, and not shown. */
export const fetchProgress = `
alter table job add column progress jsonb;
`;
