import type { CitewellError } from "../../errors.ts";
import type { ErrorTag } from "../../protocol/error-tags.ts";
import { packageForms } from "../../protocol/kinds/names.ts";

/**
 * What an agent does next: a tool and an argument, where the error's own hint is a command or a setting for a person at
 * a terminal. By tag, because an error of a running server comes with nothing more; other tags keep their own hints.
 */
const agentHints: Partial<Record<ErrorTag, string>> = {
  ...withEach(
    [
      "ProviderFailed",
      "ProviderNotFound",
      "ProviderRateLimited",
      "ProviderRefused",
      "ProviderTimeout",
      "ModelNotFound",
    ],
    "call search, then read: they need no model",
  ),
  ...withEach(
    ["RegistryFailed", "RegistryTimeout"],
    "name a package that this project has installed, or a resource that listResources reports as ready; a later call may reach the registry",
  ),
  ...withEach(
    ["RepositoryFailed", "RepositoryTimeout"],
    "call it again later, or name a resource that listResources reports as ready",
  ),
  ...withEach(
    ["LockTimeout", "StorageFailed"],
    "no argument helps: tell the user what the message says, and read files on disk with your own tools meanwhile",
  ),
  BranchNotFound: "name the page of a branch as the resource: https://<host>/<owner>/<repository>/tree/<branch>",
  Internal: "call it again; if it fails again, tell the user: the details are in this server's log",
  PackageNotFound:
    `check the name and its ecosystem (${packageForms}); of a package that is not on the registry name its repository ` +
    "(https git URL) or folder",
  PriceUnknown: "call search, then read: they cost nothing",
  // Codex, Gemini CLI and Copilot CLI start servers without the keys that are in their own environment.
  ProviderNotConnected:
    "call search, then read: they need no model. To use ask the user connects one; if its key is set in the shell, the " +
    "client may withhold it: `citewell mcp local` writes settings that pass it on, and `citewell connect` stores a key",
  RepositoryNotFound: "check the https git URL; a private repository is read with the git login of the user",
  ResourceNotFound:
    `name a package as ${packageForms}, a repository by its https git URL, a folder by its absolute path; listResources ` +
    "gives the configured names",
  ThreadNotFound: "leave out `thread`, or give `new`",
};

export function hintForAgent({ tag, hint }: Pick<CitewellError, "tag" | "hint">): string | undefined {
  return agentHints[tag] ?? hint;
}

function withEach(tags: readonly ErrorTag[], hint: string): Partial<Record<ErrorTag, string>> {
  return Object.fromEntries(tags.map((tag) => [tag, hint]));
}
