import * as z from "zod";
import { ResourceName } from "./resource-fields.ts";

/** What an API key may do: ask questions, read (list, search, read, verify), or manage resources. */
export const KeyScope = z.enum(["ask", "read", "manage"]);
export type KeyScope = z.infer<typeof KeyScope>;

/** An API key as it is listed: the key itself is shown only when it is created. */
export const ApiKey = z.object({
  id: z.uuid(),
  name: z.string().min(1, "a key needs a name").max(100, "a key's name has at most 100 characters"),
  hint: z.string().describe("The key's first characters."),
  scopes: z.array(KeyScope).min(1, "a key needs at least one scope"),
  resources: z
    .array(ResourceName)
    .min(1, "a key for no resource is of no use")
    .nullable()
    .describe("The names of the resources that it may use; null: all."),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable().describe("To the minute."),
  replacedBy: z.uuid().nullable().describe("The key that rotation made to replace it; both work until it expires."),
  member: z.string().nullable().describe("The e-mail address of the member whose own key it is; null: the project's."),
});
export type ApiKey = z.infer<typeof ApiKey>;

const KeyDays = z.int("a whole number").min(1, "at least 1").max(3650, "at most 3650");

/** What members may give the keys that they make for themselves. */
export const OwnKeyRule = z.object({
  days: KeyDays.nullable().describe("The longest time until a key expires, in days; null: it need not expire."),
});
export type OwnKeyRule = z.infer<typeof OwnKeyRule>;

/** An empty field of days is none. */
const DaysField = z
  .literal("")
  .transform(() => undefined)
  .or(z.coerce.number<string>().pipe(KeyDays));

/** The rule as the web page's form has it: a box that is not ticked is no field. */
export const OwnKeyRuleForm = z
  .object({ isAllowed: z.literal("yes").optional(), mostDays: DaysField.optional() })
  .transform(({ isAllowed, mostDays }): OwnKeyRule | null =>
    isAllowed === undefined ? null : { days: mostDays ?? null },
  );

/** A new key as the web page's form has it: an empty field is none, and without a ticked resource it may use all. */
export const NewKeyForm = ApiKey.pick({ name: true, scopes: true }).extend({
  id: z.uuid().optional().describe("The key's id, chosen with the form: a form that is sent twice makes one key."),
  resources: z.array(ResourceName).transform((names) => (names.length === 0 ? null : names)),
  days: DaysField.optional(),
});
