import * as z from "zod";

/**
 * Every error tag and its kind. A tag is stable: clients and scripts may rely on it (`docs/errors.md` is generated
 * from this table). Each transport maps the few kinds to its own codes, so a new tag is one line here.
 */
export const errorKinds = {
  AddressNotAllowed: "bad-request",
  AlreadyExists: "bad-request",
  BranchNotFound: "resource-missing",
  Cancelled: "cancelled",
  ConfigInvalid: "config",
  CredentialsInvalid: "config",
  FileNotFound: "not-found",
  FileNotReadable: "bad-request",
  HostNotAllowed: "forbidden",
  IntegrityMismatch: "resource",
  Internal: "internal",
  InvalidPath: "bad-request",
  InvalidRequest: "bad-request",
  InvalidUsage: "bad-request",
  LockTimeout: "resource",
  MethodNotAllowed: "method-not-allowed",
  ModelNotFound: "bad-request",
  NotJson: "unsupported-media-type",
  NotReadyYet: "resource-timeout",
  PackageNotFound: "resource-missing",
  PackageUnreadable: "resource",
  PathNotFound: "resource-missing",
  PriceUnknown: "bad-request",
  ProviderFailed: "provider",
  ProviderNotConnected: "auth",
  ProviderNotFound: "bad-request",
  ProviderRateLimited: "provider",
  ProviderRefused: "auth",
  ProviderTimeout: "provider-timeout",
  RegistryFailed: "resource",
  RegistryTimeout: "resource-timeout",
  RepositoryFailed: "resource",
  RepositoryNotFound: "resource-missing",
  RepositoryTimeout: "resource-timeout",
  RequestTooLarge: "too-large",
  ResourceNameTaken: "bad-request",
  ResourceNotFound: "not-found",
  RouteNotFound: "not-found",
  SearchPathNotFound: "bad-request",
  ServerFailed: "resource",
  ServerUnreachable: "provider",
  StorageFailed: "storage",
  ThreadNotFound: "not-found",
  ToolMissing: "resource",
  VersionNotFound: "resource-missing",
} as const;

export type ErrorTag = keyof typeof errorKinds;
export type ErrorKind = (typeof errorKinds)[ErrorTag];

/** What every wire sends when an operation fails: what happened, its stable name, and the next thing to do. */
export const ErrorBody = z
  .object({
    error: z.string().describe("One sentence that says what happened, with the value at fault."),
    tag: z.string().describe("The stable name of the error; docs/errors.md lists them."),
    hint: z.string().optional().describe("What to do next."),
  })
  .meta({ id: "Error" });
export type ErrorBody = z.infer<typeof ErrorBody>;
