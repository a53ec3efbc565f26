import * as z from "zod";
import { kindOf, kinds } from "../../protocol/kinds/kinds.ts";
import { isServed, packageReference, servedKinds, servedPackageTypes } from "../../protocol/kinds/names.ts";
import { isPackage } from "../../protocol/kinds/package.ts";
import { packageKinds } from "../../protocol/kinds/packages.ts";
import { AccessForm } from "../../protocol/hosted-accounts.ts";
import { isOneOff, type Reference, suggestName } from "../../protocol/reference.ts";
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
  access: AccessForm.shape.access.default("all"),
});
export type TypedResource = z.infer<typeof TypedResource>;

/** How packages are written, with an example of each ecosystem. */
export const packageExamples = servedPackageTypes.map((type) => packageReference(type, packageKinds[type].example));

/**
 * The resource that a person means; `AddResource` checks it. A bare word is an npm package: a service reads no folders.
 * The branch of a page's address applies if no other is given.
 */
export function readTyped({
  source,
  name,
  branchOrVersion,
}: Omit<TypedResource, "access">): { spec: ResourceSpec } | { fault: string } {
  const typed = parseTyped(source);
  const reference = typed.type === "name" ? packageKinds.npm.readAs(typed.name) : typed;
  const fault = isOneOff(reference) ? kindOf(reference).faultOf?.(reference) : undefined;
  if (isOneOff(reference) && isServed(reference.type) && fault === undefined) {
    const branch = branchOrVersion ?? (reference.type === "git" ? reference.branch : undefined);
    const details = { name: name ?? suggestName(reference), branch, version: branchOrVersion };
    return { spec: kindOf(reference).toSpec(reference, details) };
  }
  return { fault: `${quoteValue(source)} cannot be added: ${fault?.reason ?? reasonAgainst(reference, source)}` };
}

function reasonAgainst(reference: Reference, source: string): string {
  if (isOneOff(reference) && isPackage(reference)) return `a ${kindOf(reference).noun} is read where it is installed`;
  const read = servedKinds.map((type) => kinds[type].read(source)).find((one) => one?.type === "invalid");
  return read?.type === "invalid" ? read.reason : "neither the https address of a git repository nor a package";
}
