/** The stable name of the error that a fetch failed with. */
export const failureTags = `
alter table job add column failure_tag text;
`;
