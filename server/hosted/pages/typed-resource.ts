import * as z from "zod";
import { git } from "../../protocol/kinds/git.ts";
import { packageKinds } from "../../protocol/kinds/packages.ts";
import { suggestName } from "../../protocol/reference.ts";
import type { ResourceSpec } from "../../protocol/resource.ts";
import { parseTyped } from "../../protocol/typed-reference.ts";
import { quoteValue } from "../../protocol/validation.ts";

const optionalText = z
  .string()
  .trim()
  .transform((text) => (text === "" ? undefined : text))
  .optional();
const noSource = "an address or the name of a package is needed";

/** The form to add a resource. The source may be anything that people paste: a page's address, `git clone …`, `zod@3`. */
export const TypedResource = z.object({
  source: z.string(noSource).trim().min(1, noSource),
  name: optionalText,
  branchOrVersion: optionalText,
});
export type TypedResource = z.infer<typeof TypedResource>;

/**
 * The resource that a person means; `AddResource` checks it. A bare word is a package: a service reads no folders. The
 * branch of a page's address applies if no other is given.
 */
export function readTyped({
  source,
  name,
  branchOrVersion,
}: TypedResource): { spec: ResourceSpec } | { fault: string } {
  const typed = parseTyped(source);
  const reference = typed.type === "name" ? packageKinds.npm.readAs(typed.name) : typed;
  if (reference.type === "git") {
    const { branch } = reference;
    return { spec: git.toSpec(reference, { name: name ?? suggestName(reference), branch: branchOrVersion ?? branch }) };
  }
  if (reference.type === "npm") {
    const { version } = reference;
    return {
      spec: packageKinds.npm.toSpec(reference, {
        name: name ?? suggestName(reference),
        version: branchOrVersion ?? version,
      }),
    };
  }
  const own = git.read(source) ?? packageKinds.npm.read(source);
  const reason = own?.type === "invalid" ? own.reason : "neither the https address of a git repository nor a package";
  return { fault: `${quoteValue(source)} cannot be added: ${reason}` };
}
