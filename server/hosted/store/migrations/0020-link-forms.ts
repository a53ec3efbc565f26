/** The form that made an invitation: a form that is sent twice makes one. */
export const linkForms = `
alter table link add column form uuid unique;
`;
