import * as z from "zod";

/**
 * What a member of a project may do: ask; also manage keys and resources and read the audit log; also manage members.
 */
export const Role = z.enum(["member", "admin", "owner"]);
export type Role = z.infer<typeof Role>;

/** The role to give a member. */
export const InviteForm = z.object({ role: Role });

const Email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email("that is not an e-mail address").max(254, "an e-mail address has at most 254 characters"));

/** The address to which a link is sent. */
export const MailForm = z.object({ email: Email });

/** An invitation; without an address, its link is shown. */
export const NewInviteForm = InviteForm.extend({
  form: z.uuid().optional().describe("Chosen with the form: a form that is sent twice makes one invitation."),
  email: z
    .literal("")
    .transform(() => undefined)
    .or(Email)
    .optional(),
});

/** A new password. */
export const NewPasswordForm = z.object({
  password: z
    .string()
    .normalize("NFKC")
    .min(12, "a password needs at least 12 characters")
    .max(256, "a password has at most 256 characters"),
});

/** What a person signs in with. Two spellings of one password are the same text in Unicode's form NFKC. */
export const AccountCredentials = NewPasswordForm.extend({ email: Email });
export type AccountCredentials = z.infer<typeof AccountCredentials>;

/** The input for an existing account, whose password may be older than the current rules. */
export const PasswordSignIn = AccountCredentials.extend({
  password: z.string().normalize("NFKC").max(256, "a password has at most 256 characters"),
});

/** A person who can sign in to the web pages. */
export const Account = z.object({ id: z.uuid(), email: z.string() });
export type Account = z.infer<typeof Account>;

/** An account's membership in a project. */
export const Member = z.object({
  account: Account.shape.id,
  email: z.string(),
  role: Role,
  createdAt: z.iso.datetime(),
});
export type Member = z.infer<typeof Member>;

/** Who may use a resource: all members, or some of them. */
export const AccessForm = z.object({ access: z.enum(["all", "some"]) });
export type AccessForm = z.infer<typeof AccessForm>;

/** What of a conversation to share: the answer to the question that was asked at a time, or all of it. */
export const ShareForm = z.object({
  thread: z.string(),
  askedAt: z.iso.datetime("the answer has no time").optional(),
});
