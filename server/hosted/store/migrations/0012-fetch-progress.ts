/** The progress of the running fetch. Kept after it ends, but only shown while it runs. */
export const fetchProgress = `
alter table job add column progress jsonb;
`;
